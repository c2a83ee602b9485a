import { UnreadableRow } from "../parse.ts";
import type { Database, SetAsideRow } from "../tables.ts";

/** What every read runs on. Rows that cannot be understood are reported here and left out. */
export interface Source {
  readonly db: Database;
  readonly engine: "sqlite" | "postgres";
  readonly report: (bad: Omit<SetAsideRow, "at">) => void;
}

/** Reads each row, leaving out those that cannot be: one bad row never takes a list down. */
export function readable<Row extends object, Value>(
  rows: readonly Row[],
  { source, table, idOf, read }: {
    source: Source;
    table: string;
    idOf: (row: Row) => string;
    read: (row: Row) => Value;
  },
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
        row: JSON.stringify(row),
      });
      return [];
    }
  });
}
