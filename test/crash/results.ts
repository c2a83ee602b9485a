import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { MatrixRound } from "./matrix-round.ts";

/** Results of a run that may be interrupted and continued. */
export interface Results {
  readonly seed: number;
  /** In the order of the plan, including failed rounds with their errors. */
  readonly rounds: readonly MatrixRound[];
}

const fileIn = (folder: string): string => path.join(folder, "crash-matrix.json");

/** The results of an earlier run in this folder. Null if there are none, or if their seed differs. */
export function readResults(folder: string, seed: number | null): Results | null {
  try {
    const results: Results = JSON.parse(readFileSync(fileIn(folder), "utf8"));
    return seed === null || seed === results.seed ? results : null;
  } catch {
    return null;
  }
}

export function writeResults(folder: string, results: Results): void {
  mkdirSync(folder, { recursive: true });
  const draft = `${fileIn(folder)}.new`;
  writeFileSync(draft, `${JSON.stringify(results)}\n`);
  renameSync(draft, fileIn(folder));
}
