import { execFileSync } from "node:child_process";
import { readStat } from "../../providers/acp/process/process-sweep.ts";

/**
 * The time at which a process started, in a form of the operating system that only compares. Together with the process
 * ID it identifies a process, because an ID is given to another process later. Null if the process has ended.
 */
export function processStart(pid: number): string | null {
  if (process.platform === "linux") return readStat(pid)?.start ?? null;
  try {
    const text = execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" },
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 5_000,
    });
    return text.trim() === "" ? null : text.trim();
  } catch {
    return null;
  }
}
