/** Counts wrong tokens by network. A client with a valid token is never refused. */
export interface FailedAttempts {
  /** Adds an attempt. Returns whether there were too many lately. */
  add(address: string): boolean;
}

export interface FailedAttemptsOptions {
  readonly clock: () => number;
  readonly limit?: number;
  readonly withinMs?: number;
  readonly maxAddresses?: number;
}

export function countFailedAttempts({
  clock,
  limit = 10,
  withinMs = 60_000,
  maxAddresses = 10_000,
}: FailedAttemptsOptions): FailedAttempts {
  /** Sorted by `since`, so that the first one expires first. */
  const byNetwork = new Map<string, { count: number; readonly since: number }>();
  const isOver = (since: number, now: number): boolean => now - since >= withinMs || now < since;
  return {
    add: (address) => {
      const now = clock();
      for (const [network, { since }] of byNetwork) {
        if (!isOver(since, now) && byNetwork.size < maxAddresses) break;
        byNetwork.delete(network);
      }
      const network = networkOf(address);
      const attempts = byNetwork.get(network) ?? { count: 0, since: now };
      attempts.count += 1;
      byNetwork.set(network, attempts);
      return attempts.count > limit;
    },
  };
}

/** A client with one IPv6 address usually has the whole /64 network. */
function networkOf(address: string): string {
  if (!address.includes(":") || address.startsWith("::ffff:")) return address;
  const [head = "", tail] = address.split("::", 2);
  const left = head.split(":").filter((part) => part !== "");
  const right = (tail ?? "").split(":").filter((part) => part !== "");
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  const whole = tail === undefined ? left : [...left, ...zeros, ...right];
  return `${whole.slice(0, 4).join(":")}::/64`;
}
