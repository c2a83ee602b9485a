import { existsSync, lstatSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import type { AgentNetwork } from "../network/agent-network.ts";
import type { UserServer } from "../acp/connections/user-servers.ts";
import type { NetworkPolicy } from "../network/network-policy.ts";
import type { ToolServer, Workspace } from "../provider.ts";
import { configuredMounts, homeMounts, homeOf } from "./home-mounts.ts";
import { readMount, sortMounts, type Mount } from "./mount.ts";
import { isInside } from "./path-inside.ts";
import { programMounts, searchPathMounts, type ProgramRules } from "./program-mounts.ts";
import { hide, systemMounts } from "./system-mounts.ts";

/** An agent that is to run in a sandbox. */
export interface SandboxedAgent {
  readonly workspace: Workspace;
  /** The program's path and its arguments. */
  readonly command: readonly string[];
  /** All variables of the agent. */
  readonly environment: Readonly<Record<string, string>>;
  /** The mounts of its definition. */
  readonly mounts: readonly string[];
  /** Programs that the agent starts. */
  readonly toolServers: readonly ToolServer[];
  /** The user's MCP servers. Some are programs that the agent starts, too. */
  readonly userServers?: readonly UserServer[];
  /** Further folders in which the agent works. */
  readonly directories?: readonly Workspace[];
  readonly network: NetworkPolicy;
  /** The agent's own variables. Services of this machine in them are part of its network. */
  readonly given: Readonly<Record<string, string>>;
}

export interface MountedAgent extends Pick<
  SandboxedAgent,
  "workspace" | "command" | "environment" | "mounts" | "toolServers" | "userServers" | "directories"
> {
  /** Null: the network of the server. */
  readonly network: AgentNetwork | null;
}

/** Everything the agent can see; a mount follows the mounts around it. */
export function planMounts(agent: MountedAgent, hidden: readonly string[]): readonly Mount[] {
  const { workspace, environment, command, toolServers, network } = agent;
  const { userServers = [], directories = [] } = agent;
  const folders = [workspace, ...directories].map((folder) => folder.path);
  const home = homeOf(environment);
  const own = [...configuredMounts(agent.mounts, environment), ...worktreeMounts(workspace.path)];
  const writable = [
    ...folders,
    ...own.filter(({ kind }) => kind === "write").map((mount) => mount.path),
  ];
  const rules: ProgramRules = {
    searchPath: environment["PATH"],
    hidden: home === null ? hidden : [home, ...hidden],
    writable,
  };
  const programs = [
    command,
    ...toolServers.map((server) => [server.command, ...server.args]),
    ...userServers.flatMap((server) =>
      server.type === "stdio" ? [[server.command, ...server.args]] : [],
    ),
    ...(network === null ? [] : [network.relay]),
  ];
  const mounts: readonly Mount[] = [
    ...folders.map((folder): Mount => ({ kind: "workspace", path: folder })),
    ...systemMounts(),
    ...homeMounts(environment),
    ...own,
    ...programs.flatMap((program) => programMounts(program, rules)),
    ...searchPathMounts({ ...rules, writable: [...writable, ...hidden] }),
    ...certificateMounts(environment),
    ...(network === null ? [] : networkMounts(network)),
  ];
  return arrangeMounts(mounts, hidden);
}

/** Covers what is hidden in these mounts, and sorts them so that a mount follows the mounts around it. */
export function arrangeMounts(
  mounts: readonly Mount[],
  hidden: readonly string[],
): readonly Mount[] {
  const masks = hidden
    .filter((file) => mounts.some((mount) => shows(mount) && isInside(file, mount.path)))
    .flatMap(hide);
  return withoutVisible(sortMounts([...mounts, ...masks]));
}

/**
 * Leaves out mounts inside mounts that already show them. Inside a folder that agents can write, a path may lead
 * anywhere, so it must not be mounted again.
 */
function withoutVisible(mounts: readonly Mount[]): readonly Mount[] {
  const needed: Mount[] = [];
  for (const mount of mounts) {
    const outer = needed.findLast(({ path: folder }) => isInside(mount.path, folder));
    const isVisible =
      outer !== undefined &&
      ((mount.kind === "read" && shows(outer)) ||
        (mount.kind === "write" && (outer.kind === "write" || outer.kind === "workspace")));
    if (!isVisible) needed.push(mount);
  }
  return needed;
}

function shows({ kind }: Mount): boolean {
  return kind === "workspace" || kind === "write" || kind === "read";
}

/**
 * The `.git` folder of the main repository if the folder is a linked worktree. Agents can write the `.git` file of
 * the worktree, so it counts only if the main repository, which they cannot write, points back to it.
 */
function worktreeMounts(folder: string): readonly Mount[] {
  try {
    const file = path.join(folder, ".git");
    const gitdir = /^gitdir: (.+)$/mu.exec(readSmallFile(file))?.[1];
    if (gitdir === undefined) return [];
    const worktree = realpathSync(path.resolve(folder, gitdir));
    const worktrees = path.dirname(worktree);
    const back = path.resolve(worktree, readSmallFile(path.join(worktree, "gitdir")).trim());
    const shared = path.dirname(worktrees);
    if (path.basename(worktrees) !== "worktrees" || path.basename(shared) !== ".git") return [];
    return back === file ? [{ kind: "write", path: shared }] : [];
  } catch {
    return [];
  }
}

/** Does not follow links: agents could point them anywhere. */
function readSmallFile(file: string): string {
  const stats = lstatSync(file);
  if (!stats.isFile() || stats.size > 4_096) throw new Error(`${file} is not a small file`);
  return readFileSync(file, "utf8");
}

function networkMounts({ folder, resolvConf }: AgentNetwork): readonly Mount[] {
  if (resolvConf === null) return [readMount(folder)];
  const file = realpathSync("/etc/resolv.conf");
  return [readMount(folder), { kind: "other", path: file, from: resolvConf }];
}

function certificateMounts(environment: SandboxedAgent["environment"]): readonly Mount[] {
  return CERTIFICATES.flatMap((name) => environment[name] ?? [])
    .filter((file) => path.isAbsolute(file) && path.resolve(file) !== "/" && existsSync(file))
    .map((file) => readMount(path.resolve(file)));
}

const CERTIFICATES = [
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  "GIT_SSL_CAINFO",
];
