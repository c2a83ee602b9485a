import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { MatrixRound } from "./matrix-round.ts";

/** Of a run that may be broken off and gone on with. */
export interface Results {
  readonly seed: number;
  /** In the order of the plan; also those that broke off, with what was wrong. */
  readonly rounds: readonly MatrixRound[];
}

const fileIn = (folder: string): string => path.join(folder, "crash-matrix.json");

/** What an earlier run has left in the folder, if it had the same seed or none is asked for. */
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
