import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { markdownTable, matrixTable, totals } from "./failure-table.ts";
import type { Results } from "./results.ts";

const PAGE = path.resolve(import.meta.dirname, "../../docs/failure-matrix.md");
const BEGIN = "<!-- begin: written by `npm run test:crash -- --docs` -->";
const END = "<!-- end -->";

/** Writes the combined figures of all runs into the page, between its two markers. */
export function writePage(results: readonly Results[]): void {
  const rounds = results.flatMap((each) => each.rounds);
  const seeds = results.map(({ seed }) => seed).join(", ");
  const page = readFileSync(PAGE, "utf8");
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${PAGE} lacks its markers`);
  const figures = [
    `${rounds.length} rounds (\`--seed\` ${seeds}). Each number shows how often the fault hit a session, or the server, in that moment:`,
    matrixTable(rounds),
    markdownTable(["total", ""], totals(rounds)),
  ].join("\n\n");
  writeFileSync(PAGE, `${before}${BEGIN}\n\n${figures}\n\n${END}${after}`);
}
