import { readFileSync } from "node:fs";

/**
 * How long a process, since its start, waited for a processor. Tests subtract this from measured times, because
 * promised times do not include it.
 */
export function waitedMs(pid: number): number {
  const [, waitedNs = "0"] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ");
  return Number(waitedNs) / 1_000_000;
}
