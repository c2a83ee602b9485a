import type { Figures } from "./measure.ts";

export interface Row {
  readonly name: string;
  readonly holdfast: Figures;
  /** The same work with the bare driver, in the same run. */
  readonly raw: Figures | null;
  /** What we promise, and of which figure. */
  readonly goal: { readonly of: "p50Ms" | "p99Ms"; readonly belowMs: number } | null;
}

export interface SizeRow {
  readonly name: string;
  readonly bytes: number;
  readonly goalBytes: number;
}

export function printTable(rows: readonly Row[], sizes: readonly SizeRow[]): string {
  const cells = rows.map(({ name, holdfast, raw, goal }) => [
    name,
    ms(holdfast.p50Ms),
    ms(holdfast.p99Ms),
    raw === null ? "–" : ms(raw.p50Ms),
    raw === null ? "–" : ms(raw.p99Ms),
    raw === null ? "–" : `${(holdfast.p50Ms / raw.p50Ms).toFixed(1)}×`,
    goal === null ? "–" : `${goal.of.slice(0, 3)} < ${goal.belowMs} ms`,
    goal === null ? "" : verdict(holdfast[goal.of] < goal.belowMs),
  ]);
  const sizeCells = sizes.map(({ name, bytes, goalBytes }) => [
    name,
    `${bytes} B`,
    "",
    "",
    "",
    "",
    `≤ ${goalBytes} B`,
    verdict(bytes <= goalBytes),
  ]);
  const head = ["", "p50", "p99", "raw p50", "raw p99", "ratio", "goal", ""];
  return align([head, ...cells, ...sizeCells]);
}

function ms(value: number): string {
  return value >= 100 ? `${value.toFixed(0)} ms` : `${value.toPrecision(3)} ms`;
}

function verdict(reached: boolean): string {
  return reached ? "reached" : "MISSED";
}

function align(table: readonly (readonly string[])[]): string {
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => (row[column] ?? "").length)),
  );
  return table
    .map((row) =>
      row
        .map((cell, column) => pad(cell, { width: widths[column] ?? 0, column }))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function pad(cell: string, { width, column }: { width: number; column: number }): string {
  return column === 0 || column === 7 ? cell.padEnd(width) : cell.padStart(width);
}
