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

/** A source at a connection whose query builder may not have been created yet. */
export function sourceAt(at: Queryable, context: Pick<Source, "removeAt" | "report">): Source {
  return {
    ...context,
    dialect: at.dialect,
    ...(at.run !== undefined && { run: at.run }),
    ...(at.ask !== undefined && { ask: at.ask }),
    get db() {
      return at.db;
    },
  };
}

/** The same source, which reports unreadable rows to another place. */
export function reportingTo(source: Source, report: Source["report"]): Source {
  return sourceAt(source, { removeAt: source.removeAt, report });
}

/** Rows after a cursor, in the order of two columns. */
export function isAfter(
  [first, second]: readonly [string, string],
  cursor: readonly [number, string],
): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(first)}, ${sql.ref(second)}) > (${cursor[0]}, ${cursor[1]})`;
}

/** The columns that identify a row. Other tables have the column `id`. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  NodeLease: ["node"],
  QueuedMessage: ["messageId"],
  SessionEvent: ["sessionId", "seq"],
};

/** Columns that reads add to a row of a table. */
const ADDED_COLUMNS: ReadonlySet<string> = new Set(["knownRepo", "deltas"]);

export function reportRow(source: Source, tableName: string, row: object, reason: string): void {
  const key = KEYS[tableName] ?? ["id"];
  const stored = Object.entries(row).filter(([column]) => !ADDED_COLUMNS.has(column));
  source.report({
    tableName,
    rowId: key.map((column) => String(Reflect.get(row, column))).join("/"),
    reason,
    row: JSON.stringify(Object.fromEntries(stored)),
  });
}

/** Returns the readable rows and reports the others, so that one bad row never breaks a list. */
export function readable<Row extends object, Value>(
  source: Source,
  table: string,
  rows: readonly Row[],
  read: (row: Row) => Value,
): Value[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)];
    } catch (error) {
      if (!(error instanceof UnreadableRow)) throw error;
      reportRow(source, table, row, error.message);
      return [];
    }
  });
}

/** Reads rows that another row depends on. Throws `UnreadableRow` if one of them is unreadable. */
export function required<Row extends object, Value>(
  source: Source,
  table: string,
  rows: readonly Row[],
  read: (row: Row) => Value,
): Value[] {
  const bad: Omit<SetAsideRow, "at">[] = [];
  const values = readable(
    reportingTo(source, (row) => bad.push(row)),
    table,
    rows,
    read,
  );
  for (const row of bad) source.report(row);
  const [first] = bad;
  if (first === undefined) return values;
  throw new UnreadableRow(`${first.tableName} ${first.rowId} cannot be read: ${first.reason}`);
}
