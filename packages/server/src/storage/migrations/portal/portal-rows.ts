import { sql, type ColumnMetadata, type Kysely, type RawBuilder } from "kysely";
import type { MigrationContext } from "../migration-context.ts";
import { statusFromPortal } from "./portal-status.ts";

const BATCH = 500;

export type PortalRow = Readonly<Record<string, unknown>>;

/** The columns of a table. Portals differ in their columns. */
export async function columnsOf(
  db: Kysely<unknown>,
  table: string,
): Promise<readonly ColumnMetadata[]> {
  const tables = await db.introspection.getTables();
  return tables.find(({ name }) => name === table)?.columns ?? [];
}

interface Source {
  readonly table: string;
  /** Columns with a Prisma DateTime. They are read as epoch milliseconds. */
  readonly times: readonly string[];
  readonly engine: MigrationContext["engine"];
  readonly orderBy?: readonly string[];
}

/** Reads a whole table in order: first the sorted IDs, then the rows in batches. */
export async function readInBatches(
  db: Kysely<unknown>,
  source: Source,
  use: (row: PortalRow) => Promise<void>,
): Promise<void> {
  const table = sql.table(source.table);
  const time = timeReader(source.engine);
  const columns = await columnsOf(db, source.table);
  const selected = columns.map(({ name: column }) =>
    source.times.includes(column) ? sql`${time(column)} as ${sql.ref(column)}` : sql.ref(column),
  );
  const order = (source.orderBy ?? ["id"]).map((column) =>
    source.times.includes(column) ? time(column) : sql.ref(column),
  );
  const keys = await sql<{
    id: unknown;
  }>`select "id" from ${table} order by ${sql.join(order)}`.execute(db);
  for (let start = 0; start < keys.rows.length; start += BATCH) {
    const ids = keys.rows.slice(start, start + BATCH).map(({ id }) => id);
    const { rows } = await sql<PortalRow>`select ${sql.join(selected)} from ${table}
      where "id" in (${sql.join(ids)})`.execute(db);
    const byId = new Map(rows.map((row) => [row["id"], row]));
    for (const id of ids) {
      const row = byId.get(id);
      if (row !== undefined) await use(row);
    }
  }
}

/** Epoch milliseconds of a Prisma DateTime. In SQLite it is a number or a text, depending on Prisma's version and the writer. */
export function timeReader(
  engine: MigrationContext["engine"],
): (column: string) => RawBuilder<number> {
  return (column) => {
    const value = sql.ref(column);
    if (engine === "postgres") {
      return sql<number>`(extract(epoch from ${value} at time zone 'UTC') * 1000)::bigint`;
    }
    return sql<number>`case when typeof(${value}) in ('integer', 'real') then cast(${value} as integer)
      else cast(round(unixepoch(${value}, 'subsec') * 1000) as integer) end`;
  };
}

/** An active session was active until its last change: the portal stored `lastActiveAt` only when it stopped. */
export function sessionTimes(row: PortalRow): {
  createdAt: number;
  updatedAt: number;
  lastActiveAt: number;
} {
  const createdAt = timeFrom(row["createdAt"], 0);
  const updatedAt = Math.max(createdAt, timeFrom(row["updatedAt"], createdAt));
  if (statusFromPortal(row["status"]) === "active")
    return { createdAt, updatedAt, lastActiveAt: updatedAt };
  const lastActiveAt = Math.max(
    createdAt,
    Math.min(updatedAt, timeFrom(row["lastActiveAt"], updatedAt)),
  );
  return { createdAt, updatedAt, lastActiveAt };
}

export function timeFrom(value: unknown, fallback: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : fallback;
}

export function flagFrom(value: unknown): 0 | 1 {
  return value === true || value === 1 ? 1 : 0;
}

export function textOr(value: unknown, fallback: string): string {
  return typeof value === "string" && value !== "" ? value : fallback;
}

/** The value as JSON text. The portal stored JSON, or a text that should be JSON. */
export function jsonText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== "string") return JSON.stringify(value);
  try {
    JSON.parse(value);
    return value;
  } catch {
    return JSON.stringify(value);
  }
}
