import { sql } from "kysely";
import type { Database } from "../tables.ts";
import { LEFT_OUT_SESSIONS, type CopiedTable } from "./copied-tables.ts";

export type CopiedRow = Readonly<Record<string, string | number | null>>;

/** Batch size: few rows at first, then as many as fit into this length. */
const FIRST_ROWS = 8;
const MOST_ROWS = 250;
const LENGTH = 1024 * 1024;

/** All rows of a table as the copy will have them, in batches, in key order. */
export async function* readRows(
  db: Database,
  table: CopiedTable,
): AsyncGenerator<readonly CopiedRow[]> {
  const key = sql.join(table.key.map((column) => sql.ref(column)));
  let last: CopiedRow | undefined;
  let limit = FIRST_ROWS;
  for (;;) {
    const { rows } = await sql<CopiedRow>`select * from ${sql.table(table.name)}
      where ${isCopied(table)} and ${isAfter(table, last)} order by ${key} limit ${limit}`.execute(
      db,
    );
    if (rows.length === 0) return;
    last = rows.at(-1);
    yield table.changed === undefined ? rows : rows.map((row) => ({ ...row, ...table.changed }));
    const fitting = Math.floor((rows.length * LENGTH) / Math.max(1, lengthOf(rows)));
    limit = Math.max(1, Math.min(MOST_ROWS, fitting));
  }
}

export async function countRows(db: Database, table: CopiedTable): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as "total" from ${sql.table(table.name)} where ${isCopied(table)}`.execute(db);
  return Number(rows[0]?.total ?? 0);
}

function isCopied({ session }: CopiedTable) {
  return session === null
    ? sql`1 = 1`
    : sql`${sql.ref(session)} not in (${sql.raw(LEFT_OUT_SESSIONS)})`;
}

function isAfter({ key }: CopiedTable, last: CopiedRow | undefined) {
  if (last === undefined) return sql`1 = 1`;
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const values = sql.join(key.map((column) => sql`${last[column]}`));
  return sql`(${columns}) > (${values})`;
}

function lengthOf(rows: readonly CopiedRow[]): number {
  let length = 0;
  for (const row of rows)
    for (const value of Object.values(row)) length += typeof value === "string" ? value.length : 8;
  return length;
}
