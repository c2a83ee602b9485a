import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { errorText } from "../../domain/error-text.ts";
import {
  allowsHost,
  allowsLocal,
  isLoopback,
  normalHost,
  type NetworkRules,
  type Target,
} from "./network-policy.ts";
import { isOwnAddress } from "./own-address.ts";
import { proxyFor, tunnelThrough } from "./upstream-proxy.ts";

export interface DialOptions {
  readonly rules: NetworkRules;
  /** Names the proxies through which this machine reaches others. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly addressesOf: AddressesOf;
}

/** The addresses of a name. */
export type AddressesOf = (host: string) => Promise<readonly string[]>;

/**
 * Asks the system for few names at a time. Each question holds one of the server's four threads, for seconds if nobody
 * answers, and an agent may ask for many names.
 */
export function createLookup(): AddressesOf {
  const lanes = Array.from({ length: LOOKUPS }, () => Promise.resolve<unknown>(null));
  let next = 0;
  return (host) => {
    const lane = (next += 1) % LOOKUPS;
    const answer = (lanes[lane] ?? Promise.resolve()).then(async () =>
      (await lookup(host, { all: true })).map(({ address }) => address),
    );
    lanes[lane] = answer.catch(() => {});
    return answer;
  };
}

const LOOKUPS = 2;

/** The agent may not connect there. The message is for the agent. */
export class Refusal extends Error {}

const DIAL_MS = 30_000;

/** The way to a target that the rules allow: through a proxy, or to one of these addresses; null: those of its name. */
type Route =
  | { readonly through: URL }
  | { readonly through: null; readonly addresses: readonly string[] | null };

/** Throws a `Refusal` if the rules do not allow the target. */
export async function routeTo(
  target: Target,
  protocol: "http" | "https",
  { rules, environment, addressesOf }: DialOptions,
): Promise<Route> {
  const { host, port } = target;
  if (allowsLocal(rules, target)) return { through: null, addresses: null };
  if (!allowsHost(rules, target))
    throw new Refusal(`${host}:${port} is not among the hosts that this agent may use.`);
  const proxy = proxyFor(target, protocol, environment);
  const addresses = await resolve(target, proxy, addressesOf);
  const own = await Promise.all(addresses.map(isOwnAddress));
  const others = addresses.filter((_, index) => own[index] === false);
  if (addresses.length > 0 && others.length === 0)
    throw new Refusal(
      `${host} is this machine. Agents reach its services only if they are named as "local" in the network of the provider.`,
    );
  return proxy === null ? { through: null, addresses: others } : { through: proxy };
}

/**
 * Connects to a target. The addresses that were checked are the ones that are connected to: a name that changes its
 * address in between changes nothing.
 */
export async function dial(target: Target, route: Route): Promise<Socket> {
  const signal = AbortSignal.timeout(DIAL_MS);
  return route.through === null
    ? open(target, route.addresses, signal)
    : tunnelThrough(route.through, target, signal);
}

/**
 * The addresses to check; none if a proxy on another machine resolves the name. A proxy on this machine may know names
 * that this machine does not.
 */
async function resolve(
  { host }: Target,
  proxy: URL | null,
  addressesOf: AddressesOf,
): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  if (isLoopback(host) || host.endsWith(".localhost")) return ["127.0.0.1"];
  try {
    if (proxy !== null && !(await isHere(proxy, addressesOf))) return [];
    return await addressesOf(host);
  } catch (error) {
    if (proxy !== null) return [];
    throw new Error(`${host} was not found: ${errorText(error)}`, { cause: error });
  }
}

async function isHere({ hostname }: URL, addressesOf: AddressesOf): Promise<boolean> {
  const host = normalHost(hostname);
  const addresses = isIP(host) === 0 ? await addressesOf(host) : [host];
  return (await Promise.all(addresses.map(isOwnAddress))).includes(true);
}

/** Tries the addresses in turn, as the system would; null: those of the name. */
async function open(
  { host, port }: Target,
  addresses: readonly string[] | null,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connect({
    host,
    port,
    autoSelectFamily: true,
    allowHalfOpen: true,
    ...(addresses === null ? {} : { lookup: lookupOf(addresses) }),
  });
  try {
    await once(socket, "connect", { signal });
  } catch (error) {
    socket.destroy();
    throw error;
  }
  socket.setNoDelay(true);
  socket.setKeepAlive(true, 60_000);
  return socket;
}

function lookupOf(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_, { all: wantsAll }, callback) => {
    const [first] = all;
    if (wantsAll === true) callback(null, all);
    else callback(null, first?.address ?? "", first?.family);
  };
}
