import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { markdownTable } from "../crash/failure-table.ts";
import type { Verdict } from "./judge.ts";

const PAGE = path.resolve(import.meta.dirname, "../../docs/performance.md");
const BEGIN = "<!-- begin: written by `npm run test:soak -- --docs` -->";
const END = "<!-- end -->";

export function verdictTable(verdicts: readonly Verdict[]): string {
  return markdownTable(
    ["", "measured", "bound", ""],
    verdicts.map(({ name, measured, bound, isGood }) => [name, measured, bound, printGood(isGood)]),
  );
}

/** Writes the figures into the page, between their two markers. */
export function writePage(verdicts: readonly Verdict[], { loadMs }: { readonly loadMs: number }) {
  const page = readFileSync(PAGE, "utf8");
  const [before, rest] = page.split(BEGIN);
  const end = rest?.indexOf(END) ?? -1;
  if (before === undefined || rest === undefined || end === -1)
    throw new Error(`${PAGE} lacks its markers`);
  const figures = `${printDuration(loadMs)} of load:\n\n${verdictTable(verdicts)}`;
  writeFileSync(PAGE, `${before}${BEGIN}\n\n${figures}\n\n${rest.slice(end)}`);
}

function printGood(isGood: boolean | null): string {
  if (isGood === null) return "";
  return isGood ? "kept" : "BROKEN";
}

function printDuration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  return minutes < 120 ? `${minutes} minutes` : `${(minutes / 60).toFixed(1)} hours`;
}
