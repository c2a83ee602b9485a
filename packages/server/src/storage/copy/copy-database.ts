import { hash } from "node:crypto";
import { sql } from "kysely";
import { errorText } from "../../domain/error-text.ts";
import { StorageFault } from "../fault.ts";
import { requireCurrentSchema } from "../migrations/migrate.ts";
import { indexExisting } from "../migrations/search-data.ts";
import type { DatabaseAccess } from "../database-access.ts";
import { databaseAt, type DatabaseLocation } from "../open-store.ts";
import type { Database } from "../tables.ts";
import { COPIED_TABLES, type CopiedTable } from "./copied-tables.ts";
import { countRows, readRows, type CopiedRow } from "./read-rows.ts";

export interface CopyProgress {
  readonly step: "copying" | "indexing" | "verifying";
  /** Rows of all tables. */
  readonly done: number;
  readonly total: number;
}

export interface CopyOptions {
  readonly onProgress?: (progress: CopyProgress) => void;
  /** Called at named points, so that tests can kill the process there. */
  readonly failpoint?: (name: string) => void;
}

/** The contents of each table, the same in both databases. */
export interface CopiedDatabase {
  readonly ok: true;
  readonly tables: readonly ({ readonly table: string } & TableDigest)[];
}

export interface CopyRefused {
  readonly ok: false;
  readonly refused:
    | "same_database"
    | "source_missing"
    | "source_in_use"
    | "target_in_use"
    | "target_not_empty";
}

/**
 * Copies an installation into an empty database. Reads a snapshot and writes one transaction, which commits after the copy
 * was compared with the original. After a crash the target is still empty, and the copy can be repeated.
 */
export async function copyDatabase(
  { from, to }: { readonly from: DatabaseLocation; readonly to: DatabaseLocation },
  { onProgress = () => {}, failpoint = () => {} }: CopyOptions = {},
): Promise<CopiedDatabase | CopyRefused> {
  const options = { onProgress, failpoint };
  if (JSON.stringify(from) === JSON.stringify(to)) return refuse("same_database");
  const source = await databaseAt(from);
  const target = await databaseAt(to);
  if (await isMissing(source)) return refuse("source_missing");
  await source.reading((db) =>
    requireCurrentSchema({ db, dialect: source.dialect }, { engine: from.engine, failpoint }),
  );
  if (await isInUse(source)) return refuse("source_in_use");
  // Checked before the migration: a database with other data must stay unchanged.
  if (!(await isMissing(target)) && (await target.reading(hasRows)))
    return refuse("target_not_empty");
  await target.migrations(() => {}).up();
  if (await isInUse(target)) return refuse("target_in_use");

  const tables = await source.reading((original) =>
    target.writing(async (copy) => {
      if (await hasRows(copy)) return null;
      const copied = await copyTables(original, copy, options);
      await indexAll(copy, to.engine, copied, options);
      await verify(copy, copied, options);
      if (await isInUse(source))
        throw new StorageFault(
          "database_busy",
          "A server started to use the original during the copy. Nothing was copied. Stop it, and copy again.",
        );
      failpoint("copy.verified");
      return copied;
    }),
  );
  return tables === null ? refuse("target_not_empty") : { ok: true, tables };
}

type TableDigests = CopiedDatabase["tables"];

async function copyTables(
  original: Database,
  copy: Database,
  { onProgress, failpoint }: Required<CopyOptions>,
): Promise<TableDigests> {
  let total = 0;
  for (const table of COPIED_TABLES) total += await countRows(original, table);
  const read = digestingReader(original, { step: "copying", total }, onProgress);
  const copied: TableDigests[number][] = [];
  for (const table of COPIED_TABLES) {
    const digest = await read(table, (rows) => insertRows(copy, table, rows));
    failpoint(`copy.${table.name}`);
    copied.push({ table: table.name, ...digest });
  }
  return copied;
}

/** Returns a function that reads a whole table, reports the progress over all tables, and returns the table's digest. */
function digestingReader(
  db: Database,
  progress: Omit<CopyProgress, "done">,
  onProgress: Required<CopyOptions>["onProgress"],
) {
  let done = 0;
  onProgress({ ...progress, done });
  return async (
    table: CopiedTable,
    use: (rows: readonly CopiedRow[]) => Promise<void> = async () => {},
  ): Promise<TableDigest> => {
    const digest = rowDigest();
    for await (const rows of readRows(db, table)) {
      for (const row of rows) digest.add(row);
      await use(rows);
      done += rows.length;
      onProgress({ ...progress, done });
    }
    return digest.read();
  };
}

async function insertRows(
  copy: Database,
  { name, key }: CopiedTable,
  rows: readonly CopiedRow[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map(
    (row) => sql`(${sql.join(columns.map((column) => sql`${row[column]}`))})`,
  );
  try {
    await sql`insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))})
      values ${sql.join(values)}`.execute(copy);
  } catch (cause) {
    const named = (row: CopiedRow | undefined): string =>
      key.map((column) => row?.[column]).join(" ");
    throw new StorageFault(
      "constraint_broken",
      `A row of the table ${name}, from ${named(rows[0])} to ${named(rows.at(-1))}, cannot be copied: ${errorText(cause)}. Nothing was copied.`,
      { cause },
    );
  }
}

async function indexAll(
  copy: Database,
  engine: DatabaseLocation["engine"],
  copied: TableDigests,
  { onProgress, failpoint }: Required<CopyOptions>,
): Promise<void> {
  const total = copied.find(({ table }) => table === "AgentMessage")?.rows ?? 0;
  onProgress({ step: "indexing", done: 0, total });
  await indexExisting(copy, engine);
  // The database has noted everything that was copied.
  if (engine === "sqlite") await copy.deleteFrom("SearchTodo").execute();
  onProgress({ step: "indexing", done: total, total });
  failpoint("copy.indexed");
}

/** Reads the copy and compares it with the original. */
async function verify(
  copy: Database,
  copied: TableDigests,
  { onProgress }: Required<CopyOptions>,
): Promise<void> {
  const total = copied.reduce((sum, { rows }) => sum + rows, 0);
  const read = digestingReader(copy, { step: "verifying", total }, onProgress);
  for (const [index, table] of COPIED_TABLES.entries()) {
    const { rows, sha256 } = await read(table);
    const original = copied[index];
    if (original?.rows === rows && original.sha256 === sha256) continue;
    throw new StorageFault(
      "database_error",
      `The copy of the table ${table.name} differs from the original (${rows} and ${original?.rows} rows). Nothing was copied.`,
    );
  }
}

/** Whether a server has a valid lease. */
async function isInUse({ dialect, reading }: DatabaseAccess): Promise<boolean> {
  return reading(async (db) => {
    const alive = await db
      .selectFrom("NodeLease")
      .select("node")
      .where("expiresAt", ">", dialect.now)
      .limit(1)
      .execute();
    return alive.length > 0;
  });
}

/** Works for any schema: the database may belong to an older version or another program. */
async function hasRows(db: Database): Promise<boolean> {
  const tables = new Set((await db.introspection.getTables()).map(({ name }) => name));
  for (const { name } of COPIED_TABLES) {
    if (!tables.has(name)) continue;
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(db);
    if (rows.length > 0) return true;
  }
  return false;
}

/** Only a SQLite file can be missing; reading would create it. */
async function isMissing(database: DatabaseAccess): Promise<boolean> {
  return (await database.identify()) === null;
}

function refuse(refused: CopyRefused["refused"]): CopyRefused {
  return { ok: false, refused };
}

/** The number of rows and a digest that does not depend on their order. */
export interface TableDigest {
  readonly rows: number;
  /** In hex. */
  readonly sha256: string;
}

/** The databases sort text differently, so the digests of the rows are combined by XOR. */
function rowDigest() {
  const joined = Buffer.alloc(32);
  let rows = 0;
  return {
    add(row: CopiedRow): void {
      const columns = Object.keys(row).toSorted();
      const text = JSON.stringify(columns.map((column) => [column, row[column]]));
      const digest = hash("sha256", text, "buffer");
      for (const [index, byte] of digest.entries()) joined[index] = (joined[index] ?? 0) ^ byte;
      rows += 1;
    },
    read: (): TableDigest => ({ rows, sha256: joined.toString("hex") }),
  };
}
