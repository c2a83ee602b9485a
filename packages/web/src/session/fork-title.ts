import { LIMITS } from "@holdfast/protocol";

/** Such as `Fix login (fork)`, and for a fork of that `Fix login (fork 2)`. */
export function forkTitle(name: string): string {
  const [, original = name, count = "1"] = /^(.*) \(fork(?: (\d+))?\)$/u.exec(name) ?? [];
  const mark = original === name ? " (fork)" : ` (fork ${Number(count) + 1})`;
  return original.slice(0, LIMITS.titleLength - mark.length) + mark;
}
