import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** All that one part of the benchmark leaves on the disk; gone with the process at the latest. */
export interface BenchFolder {
  newFolder(name: string): string;
  remove(): void;
}

export function openBenchFolder(): BenchFolder {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-bench-"));
  const remove = (): void => {
    process.off("exit", remove);
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", remove);
  return {
    newFolder: (name) => {
      const made = path.join(folder, name);
      mkdirSync(made, { recursive: true });
      return made;
    },
    remove,
  };
}
