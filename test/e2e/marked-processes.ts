import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { needProc } from "../../packages/server/src/domain/testing/machine.ts";

/** Agent processes whose working directory is below this folder. */
export function markedProcesses(variable: string, folder: string): readonly number[] {
  needProc();
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)
    .filter((pid) => isMarked(pid, { variable, folder }));
}

function isMarked(
  pid: number,
  { variable, folder }: { variable: string; folder: string },
): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    return (
      environment.some((entry) => entry.startsWith(`${variable}=`)) &&
      readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
    );
  } catch {
    return false; // it has exited or belongs to another user
  }
}
