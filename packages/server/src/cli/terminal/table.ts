import { neutraliseLine } from "./neutralise.ts";
import type { Paint } from "./paint.ts";
import { fit, widthOf, wrap } from "./text-width.ts";

export type Row = readonly (string | null)[];

export interface Column {
  readonly title: string;
  /** Shrinks when the terminal is narrow. */
  readonly flexible?: true;
  readonly style?: (text: string, paint: Paint) => string;
}

const GAP = 2;
const NARROWEST = 8;

interface Layout {
  readonly columns: readonly Column[];
  readonly paint: Paint;
  /** Of the terminal. */
  readonly width: number;
}

/** The lines of a table. Where the columns do not fit side by side, each row becomes a block of lines. */
export function tableLines(rows: readonly Row[], layout: Layout): readonly string[] {
  const { columns, width } = layout;
  const cells = rows.map((row) => columns.map((_, index) => neutraliseLine(row[index] ?? "–")));
  const natural = columns.map(({ title }, index) =>
    Math.max(widthOf(title), ...cells.map((row) => widthOf(row[index] ?? ""))),
  );
  const widths = fitWidths(natural, layout);
  const total = widths.reduce((sum, one) => sum + one, GAP * (widths.length - 1));
  return total <= width ? alignedLines(cells, widths, layout) : blockLines(cells, layout);
}

function alignedLines(
  cells: readonly (readonly string[])[],
  widths: readonly number[],
  { columns, paint }: Layout,
): readonly string[] {
  const lineOf = (row: readonly string[], style: (text: string, index: number) => string): string =>
    row
      .map((cell, index) => {
        const room = widths[index] ?? 0;
        const text = fit(cell, room);
        const isLast = index === row.length - 1;
        return style(text, index) + (isLast ? "" : " ".repeat(room - widthOf(text) + GAP));
      })
      .join("")
      .trimEnd();
  return [
    lineOf(
      columns.map(({ title }) => title),
      (text) => paint.dim(text),
    ),
    ...cells.map((row) =>
      lineOf(row, (text, index) => columns[index]?.style?.(text, paint) ?? text),
    ),
  ];
}

const INDENT = "  ";

/** A flexible cell takes at most so many lines of a block. */
const BLOCK_LINES = 2;

/**
 * The first cell is the heading of a block; a mark, whose column has no title, stands before the heading. The others
 * follow with their titles; empty ones are left out.
 */
function blockLines(
  cells: readonly (readonly string[])[],
  { columns, paint, width }: Layout,
): readonly string[] {
  const headings = columns[0]?.title === "" ? 2 : 1;
  const styled = (text: string, index: number): string =>
    columns[index]?.style?.(text, paint) ?? text;
  const detail = (cell: string, index: number): readonly string[] => {
    const { title = "", flexible } = columns[index] ?? {};
    if (cell === "" || cell === "–") return [];
    const label = title === "" ? "" : `${title.toLowerCase()}: `;
    const room = width - INDENT.length;
    const text = flexible === true ? fit(cell, room * BLOCK_LINES - widthOf(label)) : cell;
    const [first = "", ...rest] = wrap(`${label}${text}`, room).map((line) => line.trimEnd());
    return [
      `${INDENT}${paint.dim(label)}${styled(first.slice(label.length), index)}`.trimEnd(),
      ...rest.map((line) => `${INDENT}${styled(line, index)}`),
    ];
  };
  return cells.flatMap((row) => [
    row
      .slice(0, headings)
      .map((cell, index) => styled(cell, index))
      .join(" "),
    ...row.slice(headings).flatMap((cell, index) => detail(cell, index + headings)),
  ]);
}

/** Shrinks the widest flexible column until the table fits or no column can shrink. */
function fitWidths(
  natural: readonly number[],
  { columns, width }: { readonly columns: readonly Column[]; readonly width: number },
): readonly number[] {
  const widths = [...natural];
  const gaps = GAP * (widths.length - 1);
  for (;;) {
    const over = widths.reduce((sum, one) => sum + one, gaps) - width;
    if (over <= 0) return widths;
    const candidates = widths
      .map((room, index) => ({ room, index }))
      .filter(({ room, index }) => columns[index]?.flexible === true && room > NARROWEST)
      .toSorted((left, right) => right.room - left.room);
    const [widest, next] = candidates;
    if (widest === undefined) return widths;
    const least = Math.max(NARROWEST, next?.room ?? NARROWEST);
    widths[widest.index] = Math.max(
      NARROWEST,
      widest.room - Math.max(1, Math.min(over, widest.room - least)),
    );
  }
}
