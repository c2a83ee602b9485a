import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** Temporary files of one part of the benchmark. Removed at the latest when the process exits. */
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
      const created = path.join(folder, name);
      mkdirSync(created, { recursive: true });
      return created;
    },
    remove,
  };
}
