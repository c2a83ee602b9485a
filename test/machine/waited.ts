import { readFileSync } from "node:fs";

/**
 * How long a process, since its start, was ready to work and was given no processor. A promise of seconds says
 * nothing about a machine that has no time: tests subtract this.
 */
export function waitedMs(pid: number): number {
  const [, waitedNs = "0"] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ");
  return Number(waitedNs) / 1_000_000;
}
