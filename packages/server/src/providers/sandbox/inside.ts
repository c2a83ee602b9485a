import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { Readable } from "node:stream";

/** The first process of a sandbox, which leads the agent's group and ends with all that was started there. */
export interface Inside {
  /** As it is seen from outside; null before it is there. */
  pid(): number | null;
  /** Resolves when none of its processes is left; soon, since what held them is gone. */
  gone(): Promise<void>;
}

/** Listens to what bubblewrap tells of itself. */
export function watchInside(status: unknown): Inside {
  let told = "";
  let pid: number | null = null;
  if (status instanceof Readable) {
    status.on("error", () => {});
    status.on("data", (bytes: Buffer) => {
      if (pid !== null || told.length > MAX_TOLD) return;
      told += bytes.toString("latin1");
      const found = /"child-pid": (\d+)/u.exec(told)?.[1];
      if (found !== undefined) pid = Number(found);
    });
  }
  return {
    pid: () => pid,
    gone: async () => {
      for (let waitedMs = 0; pid !== null && lives(pid) && waitedMs < GONE_MS; waitedMs += 5) {
        await pause(5);
      }
    },
  };
}

const MAX_TOLD = 4_096;
const GONE_MS = 2_000;

/** It becomes a zombie only when all the others are gone. */
function lives(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/^ [ZX]/u.test(stat.slice(stat.lastIndexOf(")") + 1));
  } catch {
    return false;
  }
}
