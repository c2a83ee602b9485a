import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import type { DatabaseLocation } from "../open-store.ts";

/** A second connection without the store's rules, as a database tool has it. */
export interface RawDatabase {
  run(statement: string): Promise<void>;
  all(statement: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): Promise<void>;
}

/** Turns foreign keys and checks off, so that invalid rows can be stored. */
export async function openRaw(location: DatabaseLocation): Promise<RawDatabase> {
  if (location.engine === "sqlite") {
    const database = new DatabaseSync(location.file, { timeout: 100_000 });
    database.exec("pragma foreign_keys = off; pragma ignore_check_constraints = on");
    return {
      run: async (statement) => database.exec(statement),
      all: async (statement) => database.prepare(statement).all(),
      close: async () => database.close(),
    };
  }
  const client = new Client({ connectionString: location.url });
  await client.connect();
  await client.query("set session_replication_role = replica");
  await keepCounting(client);
  return {
    run: async (statement) => void (await client.query(statement)),
    all: async (statement) => (await client.query<Record<string, unknown>>(statement)).rows,
    close: () => client.end(),
  };
}

/** PostgreSQL disables all triggers together with foreign keys. The triggers that count sessions stay on, as on SQLite. */
async function keepCounting(client: Client): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('alter table %s enable always trigger %I', tgrelid::regclass, tgname) as "statement"
      from pg_trigger where not tgisinternal and tgenabled <> 'A'`,
  );
  for (const { statement } of rows) await client.query(statement);
}

/** PostgreSQL cannot disable checks, so they are dropped, and JSON columns become text. */
export async function loosen(location: DatabaseLocation, raw: RawDatabase): Promise<void> {
  if (location.engine === "sqlite") return;
  const checks = await raw.all(
    `select conrelid::regclass::text as "table", quote_ident(conname) as "name" from pg_constraint
      where contype = 'c' and connamespace = 'public'::regnamespace`,
  );
  for (const { table, name } of checks)
    await raw.run(`alter table ${String(table)} drop constraint ${String(name)}`);
  const columns = await raw.all(
    `select table_name as "table", column_name as "column" from information_schema.columns
      where table_schema = 'public' and data_type = 'json'`,
  );
  for (const { table, column } of columns) {
    await raw.run(`alter table "${String(table)}" alter column "${String(column)}" type text`);
  }
}

const COPIED_TABLES = [
  "AgentSession",
  "AgentMessage",
  "Run",
  "SessionEvent",
  "QueuedMessage",
  "Suspension",
];

/** Copies a session many times in one statement. Returns the IDs. */
export async function copySession(
  location: DatabaseLocation,
  { sessionId, times }: { readonly sessionId: string; readonly times: number },
): Promise<readonly string[]> {
  const raw = await openRaw(location);
  for (const table of COPIED_TABLES) {
    const [row = {}] = await raw.all(`select * from "${table}" limit 1`);
    const columns = Object.keys(row).map((column) => `"${column}"`);
    const copied = columns.map((column) => (IDS.has(column) ? `${column} || '-' || "n"` : column));
    const own = table === "AgentSession" ? "id" : "sessionId";
    await raw.run(`insert into "${table}" (${columns.join(", ")})
      with recursive counter("n") as (select 1 union all select "n" + 1 from counter where "n" < ${times})
      select ${copied.join(", ")} from "${table}", counter where "${own}" = '${sessionId}'`);
  }
  await raw.close();
  return Array.from({ length: times }, (_, n) => `${sessionId}-${n + 1}`);
}

const IDS: ReadonlySet<string> = new Set([`"id"`, `"sessionId"`, `"messageId"`, `"runId"`]);

/**
 * Number of rows in each table that belongs to sessions. What the search has noted and takes in a moment later on SQLite counts
 * as a document already, and `SearchIndex` is what it has beyond its documents.
 */
export async function countRows(
  location: DatabaseLocation,
): Promise<Readonly<Record<string, number>>> {
  const raw = await openRaw(location);
  const total = async (of: string): Promise<number> => {
    const [row] = await raw.all(`select ${of} as total`);
    return Number(row?.["total"]);
  };
  try {
    const counts: Record<string, number> = {};
    for (const table of COPIED_TABLES) counts[table] = await total(rowsOf(`"${table}"`));
    if (location.engine === "postgres")
      return { ...counts, SearchDocument: await total(rowsOf(`"SearchDocument"`)) };
    const beyond = `${rowsOf(`"SearchIndex"`)} - ${rowsOf(`"SearchDocument"`)}`;
    const documents = await total(rowsOf(SEARCHABLE));
    return { ...counts, SearchDocument: documents, SearchIndex: await total(beyond) };
  } finally {
    await raw.close();
  }
}

const rowsOf = (rows: string): string => `(select count(*) from ${rows})`;

const SEARCHABLE = `(select coalesce("messageId", "sessionId") from "SearchDocument" union
  select "id" from "SearchTodo" where "id" in (select "id" from "AgentMessage" union all select "id" from "AgentSession"))`;
