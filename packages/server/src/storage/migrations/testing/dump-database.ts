import type { DatabaseLocation } from "../../open-store.ts";
import { openRaw, type RawDatabase } from "../../testing/raw-database.ts";
import { dumpSchema } from "./dump-schema.ts";

/** These tables are created before the transaction of a migration and stay if it fails. */
const BOOKKEEPING = ["HoldfastMigration", "HoldfastMigrationLock"];

/** All objects and rows of the database, except the list of migrations. Equal dumps mean equal databases. */
export async function dumpDatabase(location: DatabaseLocation): Promise<string> {
  const raw = await openRaw(location);
  try {
    return await (location.engine === "sqlite" ? dumpSqlite(raw) : dumpPostgres(raw, location));
  } finally {
    await raw.close();
  }
}

async function dumpSqlite(raw: RawDatabase): Promise<string> {
  const objects = await raw.all(
    `select type, name, tbl_name, sql from sqlite_master order by type, name`,
  );
  const ours = objects.filter((object) => !BOOKKEEPING.includes(String(object["tbl_name"])));
  const dumped = ours.map((object) => JSON.stringify(object));
  for (const { type, name } of ours)
    if (type === "table") dumped.push(await sqliteRows(raw, String(name)));
  return dumped.join("\n");
}

async function sqliteRows(raw: RawDatabase, table: string): Promise<string> {
  const columns = await raw.all(`select name from pragma_table_info('${table}')`);
  const quoted = columns.map(({ name }) => `quote("${String(name)}")`).join(" || ', ' || ");
  return rowsText(table, await raw.all(`select ${quoted} as line from "${table}"`));
}

async function dumpPostgres(raw: RawDatabase, location: DatabaseLocation): Promise<string> {
  const schema = (await dumpSchema(location)).split("\ncreate table ");
  const dumped = schema.filter(
    (table) => !BOOKKEEPING.some((name) => table.includes(`"${name}" (`)),
  );
  const tables = await raw.all(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  );
  for (const { name } of tables) {
    if (!BOOKKEEPING.includes(String(name))) dumped.push(await postgresRows(raw, String(name)));
  }
  return dumped.join("\n");
}

async function postgresRows(raw: RawDatabase, table: string): Promise<string> {
  return rowsText(table, await raw.all(`select t::text as line from "${table}" t`));
}

function rowsText(table: string, rows: readonly Readonly<Record<string, unknown>>[]): string {
  return [`${table}: ${rows.length}`, ...rows.map(({ line }) => String(line)).toSorted()].join(
    "\n",
  );
}
