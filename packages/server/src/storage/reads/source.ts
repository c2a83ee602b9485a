import { sql, type RawBuilder } from "kysely";
import type { RetainedSession } from "../../domain/retention.ts";
import { UnreadableRow } from "../rows/parse.ts";
import type { Queryable } from "../dialect.ts";
import type { SetAsideRow } from "../tables.ts";

/** The context of a read. Unreadable rows are reported and left out. */
export interface Source extends Queryable {
  readonly report: (bad: Omit<SetAsideRow, "at">) => void;
  readonly removeAt: (session: RetainedSession) => number | null;
}

/** Rows after a cursor, in the order of two columns. */
export function isAfter(
  [first, second]: readonly [string, string],
  cursor: readonly [number, string],
): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(first)}, ${sql.ref(second)}) > (${cursor[0]}, ${cursor[1]})`;
}

interface Reading<Row, Value> {
  readonly source: Source;
  readonly table: string;
  readonly idOf: (row: Row) => string;
  readonly read: (row: Row) => Value;
  /** The reported row, if it is not the row itself. */
  readonly rawOf?: (row: Row) => object;
}

/** Returns the readable rows and reports the others, so that one bad row never breaks a list. */
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

/** Reads rows that another row depends on. Throws `UnreadableRow` if one of them is unreadable. */
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
