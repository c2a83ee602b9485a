import type { Figures } from "./measure.ts";

/** The result of a part, for the terminal, the docs and the JSON file. */
export interface Report {
  readonly tables: readonly Table[];
  /** Lines below the tables. */
  readonly notes: readonly string[];
  readonly figures: unknown;
  /** Images for the docs: content by file name. */
  readonly images?: Readonly<Record<string, string>>;
  /** Names of the goals that were missed. */
  readonly missed: readonly string[];
}

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Left-aligned columns. */
  readonly left: readonly number[];
}

export interface Row {
  readonly name: string;
  readonly holdfast: Figures;
  /** The same work without Holdfast, in the same run. */
  readonly raw: Figures | null;
  readonly goal: RowGoal | null;
}

export type RowGoal =
  /** The promised limit, and the figure it applies to. */
  | { readonly of: "p50Ms" | "p99Ms"; readonly belowMs: number }
  /** Times the p50 of the raw work. */
  | { readonly timesAtMost: number };

export interface SizeRow {
  readonly name: string;
  readonly bytes: number;
  readonly goalBytes: number;
}

export function reportRows(
  rows: readonly Row[],
  {
    sizes = [],
    notes = [],
  }: { readonly sizes?: readonly SizeRow[]; readonly notes?: readonly string[] } = {},
): Report {
  const cells = rows.map((row) => [
    row.name,
    ms(row.holdfast.p50Ms),
    ms(row.holdfast.p99Ms),
    row.raw === null ? "–" : ms(row.raw.p50Ms),
    row.raw === null ? "–" : `${timesRaw(row).toFixed(1)}×`,
    describeGoal(row.goal),
    verdict(isReached(row)),
  ]);
  const sizeCells = sizes.map(({ name, bytes, goalBytes }) => [
    name,
    `${bytes.toLocaleString("en")} B`,
    "",
    "",
    "",
    `≤ ${goalBytes.toLocaleString("en")} B`,
    verdict(bytes <= goalBytes),
  ]);
  const head = ["", "p50", "p99", "raw p50", "ratio", "goal", ""];
  return {
    tables: [{ head, rows: [...cells, ...sizeCells], left: [0, 6] }],
    notes,
    figures: { rows, sizes },
    missed: [
      ...rows.filter((row) => isReached(row) === false),
      ...sizes.filter(({ bytes, goalBytes }) => bytes > goalBytes),
    ].map(({ name }) => name),
  };
}

export function printReport({ tables, notes }: Report): string {
  return [...tables.map(printTable), ...notes].join("\n\n");
}

function printTable({ head, rows, left }: Table): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  const pad = (cell: string, column: number): string => {
    const width = widths[column] ?? 0;
    return left.includes(column) ? cell.padEnd(width) : cell.padStart(width);
  };
  return all.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}

/** Formatted as oxfmt does: columns as wide as their widest cell. */
export function markdownTable({ head, rows, left }: Table): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) =>
    Math.max(3, ...all.map((row) => (row[column] ?? "").length)),
  );
  const line = (row: readonly string[]): string => {
    const cells = widths.map((width, column) => {
      const cell = row[column] ?? "";
      return left.includes(column) ? cell.padEnd(width) : cell.padStart(width);
    });
    return `| ${cells.join(" | ")} |`;
  };
  const rule = widths.map((width, column) =>
    left.includes(column) ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [line(head), `| ${rule.join(" | ")} |`, ...rows.map(line)].join("\n");
}

function isReached(row: Row): boolean | null {
  const { holdfast, goal } = row;
  if (goal === null) return null;
  return "of" in goal ? holdfast[goal.of] < goal.belowMs : timesRaw(row) <= goal.timesAtMost;
}

function timesRaw({ holdfast, raw }: Row): number {
  return raw === null ? Number.NaN : holdfast.p50Ms / raw.p50Ms;
}

function describeGoal(goal: RowGoal | null): string {
  if (goal === null) return "–";
  if ("timesAtMost" in goal) return `≤ ${goal.timesAtMost}×`;
  return `${goal.of.slice(0, 3)} < ${goal.belowMs} ms`;
}

export function ms(value: number): string {
  return value >= 100 ? `${value.toFixed(0)} ms` : `${value.toPrecision(3)} ms`;
}

export function verdict(reached: boolean | null): string {
  if (reached === null) return "";
  return reached ? "reached" : "MISSED";
}
