import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { readStat } from "../acp/process/process-sweep.ts";
import type { AgentNetwork } from "../network/agent-network.ts";
import type { Workspace } from "../provider.ts";
import type { Mount } from "./mount.ts";

/**
 * File descriptors of bubblewrap besides stdin, stdout and stderr: its status, the agent's stdout, then the repository
 * and the further directories.
 */
export const STATUS_DESCRIPTOR = 3;
export const OUTPUT_DESCRIPTOR = 4;
const FIRST_FOLDER_DESCRIPTOR = 5;

export interface BubblewrapRequest {
  readonly mounts: readonly Mount[];
  readonly workspace: Workspace;
  readonly directories: readonly Workspace[];
  /** Null: the network of the server. */
  readonly network: AgentNetwork | null;
  readonly command: readonly string[];
}

/** Arguments with which bubblewrap runs a command that sees only these mounts. */
export function bubblewrapArguments(request: BubblewrapRequest): readonly string[] {
  const { mounts, workspace, directories, network, command } = request;
  const folders = openFolders([workspace, ...directories]);
  return [
    ...namespaceArguments(
      network?.bubblewrap ?? [],
      mounts.flatMap((mount) => mountArguments(mount, folders)),
    ),
    "--json-status-fd",
    String(STATUS_DESCRIPTOR),
    "--chdir",
    workspace.path,
    "--",
    "/bin/sh",
    "-c",
    START,
    "sh",
    ...(network?.relay ?? []),
    "--",
    ...command,
  ];
}

/** What every program in a sandbox gets: its own namespaces, its mounts, and few rights. */
export function namespaceArguments(
  network: readonly string[],
  mounts: readonly string[],
): readonly string[] {
  const isRoot = process.getuid?.() === 0;
  return [
    "--die-with-parent",
    // Gives the program its own process group, so that SIGTERM can be sent to it alone.
    "--new-session",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    ...network,
    ...(isRoot ? ROOT_CAPABILITIES : []),
    ...mounts,
    "--proc",
    "/proc",
    ...(isRoot ? kernelSettings().flatMap((file) => ["--ro-bind", file, file]) : []),
    "--dev",
    "/dev",
    "--remount-ro",
    "/",
  ];
}

/** Variables that name folders which do not exist inside. */
const OUTSIDE_ONLY: ReadonlySet<string> = new Set(["TMPDIR", "TMP", "TEMP", "XDG_RUNTIME_DIR"]);

export function environmentInside(
  environment: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !OUTSIDE_ONLY.has(name)),
  );
}

/**
 * Starts the relay, waits until it listens, which it tells by closing its output, and becomes the agent.
 *
 * Bubblewrap's own processes keep stdout open as long as they live, but no other descriptor. The agent's stdout is
 * another descriptor, so that the server notices when the agent closes it.
 */
const START = `
if [ "$1" != -- ]; then
  state=$(NODE_OPTIONS= "$1" "$2" "$3" </dev/null 2>/dev/null ${OUTPUT_DESCRIPTOR}>&- &)
  [ "$state" = ready ] || { echo "the relay of the network does not start" >&2; exit 125; }
  shift 3
  unset state
fi
shift
exec "$@" >&${OUTPUT_DESCRIPTOR} ${OUTPUT_DESCRIPTOR}>&-
`;

/** Root keeps only the capabilities to work with files of other users. */
const ROOT_CAPABILITIES = [
  "--cap-drop",
  "ALL",
  ...["CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER"].flatMap((name) => ["--cap-add", name]),
];

/**
 * Settings of the machine that root may change without any capability. One of them names a program that the kernel
 * runs outside the sandbox. Bubblewrap leaves some of them writable.
 */
function kernelSettings(): readonly string[] {
  return readdirSync("/proc", { withFileTypes: true })
    .filter((entry) => !/^\d+$/u.test(entry.name))
    .filter((entry) => entry.isDirectory() || (entry.isFile() && isWritable(entry.name)))
    .map(({ name }) => path.join("/proc", name));
}

function isWritable(name: string): boolean {
  const mode = statSync(path.join("/proc", name), { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o222) !== 0;
}

/** The folders that bubblewrap gets as descriptors, in this order. */
export function openFolders(folders: readonly Workspace[]): readonly OpenFolder[] {
  return folders.flatMap(({ path: folder, descriptor }) =>
    descriptor === null ? [] : [{ path: folder, descriptor }],
  );
}

interface OpenFolder {
  readonly path: string;
  readonly descriptor: number;
}

export function mountArguments(mount: Mount, folders: readonly OpenFolder[]): readonly string[] {
  switch (mount.kind) {
    case "workspace": {
      const index = folders.findIndex((folder) => folder.path === mount.path);
      return index === -1
        ? ["--bind", mount.path, mount.path]
        : ["--bind-fd", String(FIRST_FOLDER_DESCRIPTOR + index), mount.path];
    }
    case "write":
      return ["--bind", mount.path, mount.path];
    case "read":
      return ["--ro-bind", mount.path, mount.path];
    case "fresh":
      return ["--tmpfs", mount.path];
    case "blank":
      return ["--ro-bind", "/dev/null", mount.path];
    case "other":
      return ["--ro-bind", mount.from, mount.path];
    case "link":
      return ["--symlink", mount.to, mount.path];
    default:
      return mount satisfies never;
  }
}

/** The first process in a sandbox. It leads the agent's process group and exits after all other processes there. */
export interface SandboxLeader {
  /** Its process ID outside the sandbox; null until bubblewrap has reported it. */
  pid(): number | null;
  /** Resolves when no process of the sandbox is left. Call it after bubblewrap has exited. */
  exited(): Promise<void>;
}

/** Reads the process ID of the leader from bubblewrap's status. */
export function watchLeader(status: unknown): SandboxLeader {
  let text = "";
  let pid: number | null = null;
  if (status instanceof Readable) {
    status.on("error", () => {});
    status.on("data", (bytes: Buffer) => {
      if (pid !== null || text.length > MAX_STATUS) return;
      text += bytes.toString("latin1");
      const childPid = /"child-pid": (\d+)/u.exec(text)?.[1];
      if (childPid !== undefined) pid = Number(childPid);
    });
  }
  return {
    pid: () => pid,
    exited: async () => {
      for (let waitedMs = 0; pid !== null && readStat(pid) && waitedMs < EXIT_MS; waitedMs += 5) {
        await pause(5);
      }
    },
  };
}

const MAX_STATUS = 4_096;
const EXIT_MS = 2_000;
