import type { RetainedSession } from "../../domain/retention.ts";
import { UnreadableRow } from "../rows/parse.ts";
import type { Place } from "../prepared.ts";
import type { SetAsideRow } from "../tables.ts";

/** What every read runs on. Rows that cannot be understood are reported here and left out. */
export interface Source extends Place {
  readonly report: (bad: Omit<SetAsideRow, "at">) => void;
  readonly removeAt: (session: RetainedSession) => number | null;
}

interface Reading<Row, Value> {
  readonly source: Source;
  readonly table: string;
  readonly idOf: (row: Row) => string;
  readonly read: (row: Row) => Value;
  /** What is kept of a row that cannot be read, where that is not the row itself. */
  readonly rawOf?: (row: Row) => object;
}

/** Reads each row, leaving out those that cannot be: one bad row never takes a list down. */
export function readable<Row extends object, Value>(
  rows: readonly Row[],
  { source, table, idOf, read, rawOf = (row) => row }: Reading<Row, Value>,
): Value[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)];
    } catch (error) {
      if (!(error instanceof UnreadableRow)) throw error;
      source.report({
        tableName: table,
        rowId: idOf(row),
        reason: error.message,
        row: JSON.stringify(rawOf(row)),
      });
      return [];
    }
  });
}

/** Reads rows that something cannot be without: it is as unreadable as they are. */
export function required<Row extends object, Value>(
  rows: readonly Row[],
  reading: Reading<Row, Value>,
): Value[] {
  const { source } = reading;
  const bad: Omit<SetAsideRow, "at">[] = [];
  const read = readable(rows, {
    ...reading,
    source: { ...source, report: (row) => bad.push(row) },
  });
  for (const row of bad) source.report(row);
  const [first] = bad;
  if (first === undefined) return read;
  throw new UnreadableRow(`${first.tableName} ${first.rowId} cannot be read: ${first.reason}`);
}
