import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { Readable } from "node:stream";
import { errorText } from "../../domain/error-text.ts";
import { findProgram } from "../acp/process/find-program.ts";
import { isOwnAddress, virtualBridges } from "./own-address.ts";

/**
 * A network namespace with slirp4netns, a TCP/IP stack without privileges. Programs inside reach other hosts directly,
 * and not this machine. It can forbid addresses, but knows no names of hosts.
 */
export interface UserNetwork {
  /** A command that runs another in the namespace. */
  readonly enter: readonly string[];
  /** Whether a command starts as root of a new user namespace. */
  readonly isMapped: boolean;
  readonly close: () => void;
}

/** The programs it consists of. */
export interface UserNetworkParts {
  readonly slirp4netns: string;
  readonly unshare: string;
  readonly nsenter: string;
  readonly ip: string;
}

/** The parts, or a sentence that says what is missing. */
export async function findUserNetwork(
  searchPath: string | undefined,
): Promise<UserNetworkParts | string> {
  const find = (name: string): string | null =>
    findProgram(name, `${searchPath ?? ""}:/usr/sbin:/sbin`);
  const slirp4netns = find("slirp4netns");
  if (slirp4netns === null) return "slirp4netns is not installed.";
  const [unshare, nsenter, ip] = [find("unshare"), find("nsenter"), find("ip")];
  if (unshare === null || nsenter === null) return "util-linux is not installed.";
  if (ip === null) return "iproute2 is not installed.";
  if ((await reachableNameServers()) === null) return "This machine is its own name server.";
  return { slirp4netns, unshare, nsenter, ip };
}

/**
 * The settings of name servers that are not this machine; null if there are none. `systemd-resolved` keeps a second
 * file with the name servers behind its own. Networks change, so they are read for each agent.
 */
export async function reachableNameServers(): Promise<string | null> {
  for (const file of ["/etc/resolv.conf", "/run/systemd/resolve/resolv.conf"]) {
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    const servers = [...text.matchAll(/^\s*nameserver\s+(\S+)/gmu)].map(([, host = ""]) => host);
    const own = await Promise.all(
      servers.map(async (host) => isIP(host) === 0 || (await isOwnAddress(host))),
    );
    if (servers.length > 0 && !own.includes(true)) return text;
  }
  return null;
}

const OPEN_MS = 10_000;

/** `environment` is that of its processes, and carries the marker of the agent. */
export async function openUserNetwork(
  parts: UserNetworkParts,
  environment: Readonly<Record<string, string>>,
): Promise<UserNetwork> {
  const isMapped = process.getuid?.() !== 0;
  const children: ChildProcess[] = [];
  const close = (): void => {
    for (const child of children) child.kill("SIGKILL");
  };
  const signal = AbortSignal.timeout(OPEN_MS);
  const start = (
    program: string,
    args: readonly string[],
    stdio: ("pipe" | "ignore")[],
  ): ChildProcess => {
    const child = spawn(program, args, { stdio, env: environment, detached: true, cwd: "/" });
    child.on("error", () => {});
    for (const stream of child.stdio) stream?.on("error", () => {});
    children.push(child);
    return child;
  };
  try {
    // Both end when the server is gone: one reads its input to the end, the other watches a descriptor.
    const holder = start(
      parts.unshare,
      [...(isMapped ? ["--user", "--map-root-user"] : []), "--net", "/bin/sh", "-c", HOLD],
      ["pipe", "pipe", "pipe"],
    );
    await firstBytes(holder, 1, signal);
    const { pid = 0 } = holder;
    const slirp = start(
      parts.slirp4netns,
      [...SLIRP_OPTIONS, "--ready-fd=3", "--exit-fd=4", String(pid), INTERFACE],
      ["ignore", "ignore", "pipe", "pipe", "pipe"],
    );
    await firstBytes(slirp, 3, signal);
    const enter = [
      parts.nsenter,
      ...(isMapped ? ["--user", "--preserve-credentials"] : []),
      "--net",
      `--target=${pid}`,
      "--",
    ];
    await run([...enter, parts.ip, "-batch", "-"], await routes(parts.ip), signal);
    return { enter, isMapped, close };
  } catch (error) {
    close();
    throw new Error(`slirp4netns does not work here: ${errorText(error)}`, { cause: error });
  }
}

const HOLD = "echo; exec cat >/dev/null";
const INTERFACE = "tap0";
const SLIRP_OPTIONS = [
  "--configure",
  "--mtu=65520",
  "--cidr=198.19.47.0/24",
  "--disable-host-loopback",
  // Its name server would lead to all ports of the machine's name server, which may be the machine itself.
  "--disable-dns",
  "--enable-ipv6",
];

/**
 * Closes the namespace to this machine: packets to its addresses are dropped, and nothing is sent to groups in which
 * the machine could be. Agents cannot change routes.
 */
async function routes(ip: string): Promise<string> {
  const filters = [LOCAL, ...virtualBridges().map((name) => ["dev", name])];
  const own = await Promise.all(
    filters.flatMap((filter) => ["-4", "-6"].map((family) => destinations(ip, family, filter))),
  );
  const closed = [
    ...own.flat().filter((network) => !STAYS_INSIDE.test(network)),
    "169.254.0.0/16",
    "224.0.0.0/4",
  ];
  const hasIpv6 = (await destinations(ip, "-6", ["default"])).length > 0;
  return [
    ...[...new Set(closed)].map((network) => `route replace blackhole ${network}`),
    ...(existsSync("/proc/net/if_inet6")
      ? [`route del multicast ff00::/8 dev ${INTERFACE} table local`]
      : []),
    // Announcements of a router usually take seconds. An early one has set the same already.
    ...(hasIpv6
      ? [
          `address replace fd00::100/64 dev ${INTERFACE} nodad`,
          `route replace default via fe80::2 dev ${INTERFACE}`,
        ]
      : []),
    "",
  ].join("\n");
}

const LOCAL = ["table", "local", "type", "local"];
/** Loopback is another one inside, and so are the links. */
const STAYS_INSIDE = /^(?:127\.|::1$|fe80::\/|default$)/u;

async function destinations(
  ip: string,
  family: string,
  filter: readonly string[],
): Promise<readonly string[]> {
  const text = await run([ip, family, "-json", "route", "show", ...filter]);
  const list: unknown = text.trim() === "" ? [] : JSON.parse(text);
  if (!Array.isArray(list)) return [];
  return list.flatMap((route: unknown) =>
    typeof route === "object" && route !== null && "dst" in route ? [String(route.dst)] : [],
  );
}

/** Resolves when the process has written something; throws with the end of its errors if it exits before. */
async function firstBytes(
  child: ChildProcess,
  descriptor: number,
  signal: AbortSignal,
): Promise<void> {
  const stream = child.stdio[descriptor];
  if (!(stream instanceof Readable)) throw new Error("unreachable: the descriptor is a pipe");
  let problem = "";
  child.stderr?.on("data", (bytes: Buffer) => {
    if (problem.length < MAX_PROBLEM) problem += bytes.toString();
  });
  const exited = once(child, "close", { signal }).then(() => {
    throw new Error(problem.trim() || "it exited at once");
  });
  exited.catch(() => {});
  await Promise.race([once(stream, "data", { signal }), exited]);
}

const MAX_PROBLEM = 4_096;

function run(
  [program = "", ...args]: readonly string[],
  input = "",
  signal?: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, { signal, cwd: "/" }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(stderr.trim() || error.message, { cause: error }));
    });
    // It may exit without reading.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}
