import { isIP } from "node:net";

/**
 * The network of an agent as it is configured. `open`: everything but this machine. `off`: nothing. `shared`: the
 * network of the server, including this machine. An object names hosts; without `hosts` all are allowed.
 */
export type NetworkPolicy = "open" | "off" | "shared" | NamedHosts;

export interface NamedHosts {
  /** Such as `api.example.com`, `*.example.com:443` or `192.0.2.7`. */
  readonly hosts?: readonly string[] | undefined;
  /** Services of this machine, such as `localhost:11434`. */
  readonly local?: readonly string[] | undefined;
}

export interface Target {
  /** A name in lower case, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** A policy that can be enforced, which `shared` cannot. */
export interface NetworkRules {
  /** Null: all hosts. */
  readonly hosts: readonly HostPattern[] | null;
  readonly local: readonly Target[];
}

interface HostPattern {
  readonly host: string;
  /** Whether it matches the subdomains of the host, and not the host itself. */
  readonly isWildcard: boolean;
  /** Null: all ports. */
  readonly port: number | null;
}

export function rulesOf(policy: Exclude<NetworkPolicy, "shared">): NetworkRules {
  if (policy === "open") return { hosts: null, local: [] };
  if (policy === "off") return { hosts: [], local: [] };
  const { hosts, local = [] } = policy;
  return {
    hosts: hosts?.map(patternOf) ?? null,
    local: local.map((text) => {
      const target = parseTarget(text);
      if (target === null) throw new Error(`unreachable: ${text} passed the check of the settings`);
      return target;
    }),
  };
}

/** Whether it forbids hosts of the internet, so that it must not be ignored where it cannot be enforced. */
export function limitsHosts(policy: NetworkPolicy): boolean {
  return policy === "off" || (typeof policy === "object" && policy.hosts !== undefined);
}

export function allowsHost({ hosts }: NetworkRules, target: Target): boolean {
  return hosts === null || hosts.some((pattern) => matches(pattern, target));
}

function matches({ host, isWildcard, port }: HostPattern, target: Target): boolean {
  if (port !== null && port !== target.port) return false;
  if (!isWildcard) return target.host === host;
  // An address has no subdomains: `*.0.0.1` must not match `127.0.0.1`.
  return isIP(target.host) === 0 && target.host.endsWith(`.${host}`);
}

/** Whether the target is a service of this machine that the agent may use. All names of loopback are equal. */
export function allowsLocal({ local }: NetworkRules, { host, port }: Target): boolean {
  return local.some(
    (each) =>
      each.port === port && (each.host === host || (isLoopback(each.host) && isLoopback(host))),
  );
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/** Why the text is no pattern of hosts; null if it is one. */
export function whyNoHost(text: string): string | null {
  return HOST.test(text) && isPort(text)
    ? null
    : 'must be a host such as "api.example.com", "*.example.com:443" or "[2001:db8::1]:443", without a protocol or a path';
}

/** Why the text is no service of this machine; null if it is one. */
export function whyNoLocal(text: string): string | null {
  const target = parseTarget(text);
  if (target === null || text.includes("*"))
    return 'must be a host and a port, such as "localhost:11434"';
  return target.port < FIRST_FREE_PORT
    ? `must have a port of at least ${FIRST_FREE_PORT}: agents cannot listen below`
    : null;
}

/** Only root may listen on the ports below. */
export const FIRST_FREE_PORT = 1024;

const HOST = /^(?:(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/iu;

/** A host with a port; null if the text is something else. */
export function parseTarget(text: string): Target | null {
  const { host, port } = split(text);
  return HOST.test(text) && isPort(text) && port !== null ? { host, port } : null;
}

function patternOf(text: string): HostPattern {
  const { host, port } = split(text);
  return host.startsWith("*.")
    ? { host: host.slice(2), isWildcard: true, port }
    : { host, isWildcard: false, port };
}

function split(text: string): { readonly host: string; readonly port: number | null } {
  const [, name = "", port] = /^(\[.*\]|[^:]*)(?::(\d+))?$/u.exec(text) ?? [];
  return { host: normalHost(name), port: port === undefined ? null : Number(port) };
}

function isPort(text: string): boolean {
  const { host, port } = split(text);
  const isAddress = !text.startsWith("[") || isIP(host) === 6;
  return isAddress && (port === null || (port > 0 && port < 65_536));
}

/** One form for each name: lower case, without brackets and without the dot at the end. */
export function normalHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/u, "$1")
    .replace(/\.$/u, "");
}
