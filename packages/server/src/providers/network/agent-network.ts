import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { once } from "node:events";
import { MARKER_VARIABLE } from "../acp/process/agent-environment.ts";
import { createEgress } from "./egress.ts";
import {
  FIRST_FREE_PORT,
  isLoopback,
  normalHost,
  type NetworkRules,
  type Target,
} from "./network-policy.ts";
import { proxyVariables } from "./proxy-variables.ts";
import { namesProxy } from "./upstream-proxy.ts";
import {
  openUserNetwork,
  reachableNameServers,
  type UserNetwork,
  type UserNetworkParts,
} from "./user-network.ts";

/** The network of one agent in a sandbox: what it needs inside to get out. */
export interface AgentNetwork {
  /** The folder with its sockets, which must be visible inside. */
  readonly folder: string;
  /** The program that must run inside, and its arguments. It is ready when it closes its output. */
  readonly relay: readonly [node: string, script: string, folder: string];
  /** A command that runs another in the network; empty if bubblewrap makes the network. */
  readonly enter: readonly string[];
  /** Options with which bubblewrap makes the network, or leaves the user namespace of the one it was started in. */
  readonly bubblewrap: readonly string[];
  /** A file that replaces `/etc/resolv.conf`. */
  readonly resolvConf: string | null;
  /** Variables that lead programs to the proxy, where there is no other way out. */
  readonly environment: Readonly<Record<string, string>>;
  /** The address inside of an address of our API. */
  readonly inside: (url: URL) => string;
  /** Whether it stays open when the server ends. */
  readonly outlives?: boolean;
  /** The agent has started: the network is closed when this process has exited. */
  readonly bind?: (pid: number) => void;
  readonly close: () => void;
}

export interface AgentNetworkOptions {
  readonly rules: NetworkRules;
  /** The variables of the agent. */
  readonly environment: Readonly<Record<string, string>>;
  /** The addresses of our API that the agent may use. */
  readonly apis: readonly URL[];
  /** What programs without a proxy need to reach other hosts; null if it is missing. */
  readonly user: UserNetworkParts | null;
}

/** The network inside belongs to the agent alone, so the port is free. */
export const PROXY_PORT = 47_047;

export async function openAgentNetwork(options: AgentNetworkOptions): Promise<AgentNetwork> {
  const { rules, environment, apis } = options;
  const egress = createEgress({ rules, environment, apis });
  const folder = makeFolder();
  const ways: readonly (readonly [port: number, server: Server])[] = [
    [PROXY_PORT, egress.proxy],
    ...portsOf(rules.local).map((target) => [target.port, egress.local(target)] as const),
  ];
  const open = new Set<{ destroy(): void }>();
  let user: UserNetwork | null = null;
  const close = (): void => {
    user?.close();
    for (const [, server] of ways) server.close();
    for (const socket of open) socket.destroy();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const [port, server] of ways) {
      server.on("connection", (socket) => {
        open.add(socket);
        socket.once("close", () => open.delete(socket));
      });
      server.listen(path.join(folder, String(port)));
      await once(server, "listening");
    }
    // It knows no names of hosts, so it cannot enforce a list of them.
    const parts = rules.hosts === null ? options.user : null;
    const nameServers = parts === null ? null : await reachableNameServers();
    if (parts !== null && nameServers !== null)
      user = await openUserNetwork(parts, markerOf(environment));
    return {
      folder,
      relay: [process.execPath, RELAY, folder],
      enter: user?.enter ?? [],
      bubblewrap: bubblewrapOptions(user),
      resolvConf: nameServers === null ? null : writeResolvConf(folder, nameServers),
      environment: user === null || namesProxy(environment) ? proxyVariables(PROXY) : {},
      inside: insideUrl,
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Its processes end with the agent, so they carry its marker. */
function markerOf(environment: AgentNetworkOptions["environment"]): Record<string, string> {
  const { PATH = "", [MARKER_VARIABLE]: marker } = environment;
  return { PATH, ...(marker !== undefined && { [MARKER_VARIABLE]: marker }) };
}

/** Bubblewrap starts as root of the user namespace that owns the network; the agent must not. */
function bubblewrapOptions(user: UserNetwork | null): readonly string[] {
  if (user === null) return ["--unshare-net"];
  if (!user.isMapped) return [];
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  return ["--unshare-user", "--uid", String(uid), "--gid", String(gid), "--cap-drop", "ALL"];
}

function writeResolvConf(folder: string, nameServers: string): string {
  const file = path.join(folder, "resolv.conf");
  writeFileSync(file, nameServers);
  return file;
}

export function insideUrl({ pathname }: URL): string {
  return `${PROXY}${pathname}`;
}

const PROXY = `http://127.0.0.1:${PROXY_PORT}`;
const RELAY = path.join(import.meta.dirname, `relay${path.extname(import.meta.filename)}`);

/** The first service for each port: both would be at the same address inside. */
function portsOf(local: readonly Target[]): readonly Target[] {
  return local.filter(({ port }, index) => local.findIndex((each) => each.port === port) === index);
}

/**
 * Services of this machine that the agent was given by its own variables, such as the address of a model. Variables
 * that other programs understand, such as those for proxies, do not count.
 */
export function localIn(
  variables: Readonly<Record<string, string | undefined>>,
): readonly Target[] {
  return Object.values(variables).flatMap((value) => {
    const url = /^https?:\/\//u.test(value ?? "") ? URL.parse(value ?? "") : null;
    if (url === null || !isLoopback(normalHost(url.hostname))) return [];
    const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
    return port < FIRST_FREE_PORT ? [] : [{ host: normalHost(url.hostname), port }];
  });
}

/** A private folder with a short path, since the path of a socket has at most 107 characters. */
function makeFolder(): string {
  removeAbandoned();
  return mkdtempSync(path.join(tmpdir(), `${PREFIX}${process.pid}-`));
}

const PREFIX = "holdfast-network-";

/** Removes folders of servers that were killed. */
function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(PREFIX)
      ? Number.parseInt(name.slice(PREFIX.length), 10)
      : Number.NaN;
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    try {
      rmSync(path.join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // It belongs to another user.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
