import { pathToFileURL } from "node:url";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { Kysely, SqliteAdapter, SqliteDialect, type SqliteDatabase } from "kysely";
import { keepNewest } from "../keep-newest.ts";
import type { Queryable, RunAtOnce } from "../dialect.ts";
import type { Database, Tables } from "../tables.ts";
import { isBusy, isDiskFull } from "./faults.ts";
import { SQLITE } from "./sqlite-dialect.ts";

/** Cached statements per connection. Queries with lists of IDs produce new ones all the time. */
const CACHED_STATEMENTS = 200;
const BUSY_TIMEOUT_MS = 5000;
const RETRY_MS = 10;
/** The write-ahead log is truncated to this size after a checkpoint. */
const WAL_BYTES = 16 * 1024 * 1024;

export interface SqliteConnection extends Queryable {
  readonly raw: DatabaseSync;
  readonly run: RunAtOnce;
  close(): Promise<void>;
}

export interface ConnectionOptions {
  readonly readOnly: boolean;
  readonly busyTimeoutMs?: number;
  /** Reads on a connection with a warmer cache; null when that is not possible now. */
  readonly readElsewhere?: (text: string, parameters: readonly unknown[]) => Rows | null;
}

type Rows = ReturnType<RunAtOnce>;

export function openSqliteConnection(
  file: string,
  { readOnly, busyTimeoutMs = BUSY_TIMEOUT_MS, readElsewhere = () => null }: ConnectionOptions,
): SqliteConnection {
  const set = (raw: DatabaseSync): void => {
    useWriteAheadLog(raw, busyTimeoutMs);
    raw.exec(`pragma synchronous = full`);
    raw.exec(`pragma foreign_keys = on`);
    raw.exec(`pragma journal_size_limit = ${WAL_BYTES}`);
    if (readOnly) raw.exec(`pragma query_only = on`);
  };
  return connect(openAndSet(file, busyTimeoutMs, set), readElsewhere);
}

/** On a full disk there is no space for the index of the write-ahead log, without which nothing can be read. */
function openAndSet(file: string, timeout: number, set: (raw: DatabaseSync) => void): DatabaseSync {
  const open = (from: string | URL): DatabaseSync => {
    const raw = new DatabaseSync(from, { timeout });
    try {
      set(raw);
      return raw;
    } catch (error) {
      raw.close();
      throw error;
    }
  };
  try {
    return open(file);
  } catch (error) {
    if (!isDiskFull(error) || process.platform === "win32") throw error;
    return open(indexInMemory(file));
  }
}

/** The index is in the memory of this process, and other processes cannot open the database until it is closed. */
function indexInMemory(file: string): URL {
  const url = pathToFileURL(file);
  url.searchParams.set("vfs", "unix-excl");
  return url;
}

/** Read only, without our settings: the file may belong to another program. It must exist. */
export function openSqliteUntouched(file: string): SqliteConnection {
  return connect(new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS }), () => null);
}

function connect(
  raw: DatabaseSync,
  readElsewhere: NonNullable<ConnectionOptions["readElsewhere"]>,
): SqliteConnection {
  const prepare = cacheStatements(raw);
  /** A transaction reads on its own connection, to see one moment. */
  const run: RunAtOnce = (text, parameters) =>
    (raw.isTransaction ? null : readElsewhere(text, parameters)) ??
    prepare(text).all(bindable(parameters));
  const database = shim(raw, { prepare, run });
  let db: Database | null = null;
  return {
    dialect: SQLITE,
    raw,
    run,
    // Commands that only run written statements do without the query builder.
    get db() {
      return (db ??= openQueryBuilder(database));
    },
    // The query builder closes it only if it has run a statement itself.
    close: async () => {
      await db?.destroy();
      if (raw.isOpen) raw.close();
    },
  };
}

/** SQLite does not wait here when two processes open a new file at once. */
function useWriteAheadLog(raw: DatabaseSync, waitMs: number): void {
  /** Set at the first failure, because Node loads its clock when it is first read. */
  let deadline: number | null = null;
  for (;;) {
    try {
      raw.exec(`pragma journal_mode = wal`);
      return;
    } catch (error) {
      deadline ??= performance.now() + waitMs;
      if (!isBusy(error) || performance.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

function openQueryBuilder(database: SqliteDatabase): Database {
  /** SQLite supports schema changes in transactions; Kysely's adapter does not use that. */
  class TransactionalAdapter extends SqliteAdapter {
    override get supportsTransactionalDdl(): boolean {
      return true;
    }
  }
  class NodeSqliteDialect extends SqliteDialect {
    override createAdapter(): SqliteAdapter {
      return new TransactionalAdapter();
    }
  }
  return new Kysely<Tables>({ dialect: new NodeSqliteDialect({ database }) });
}

interface CachedStatement {
  readonly statement: StatementSync;
  readonly reader: boolean;
  readonly all: (parameters: readonly Bindable[]) => Rows;
}

function cacheStatements(raw: DatabaseSync): (text: string) => CachedStatement {
  const cache = keepNewest<string, CachedStatement>(CACHED_STATEMENTS);
  return (text) => {
    const cached = cache.get(text);
    if (cached !== undefined) return cached;
    // A transaction that starts with a read cannot become a writing one while another process writes.
    const statement = raw.prepare(text === "begin" ? "begin immediate" : text);
    const names = namesOf(statement);
    const entry = { statement, reader: names.length > 0, all: rowsOf(statement, names) };
    cache.set(text, entry);
    return entry;
  };
}

/**
 * Makes the rows here, as objects of one shape. Those that `node:sqlite` makes are dictionaries: a row of 52 columns takes
 * twice as long to make, and its values longer to read.
 */
function rowsOf(statement: StatementSync, columns: readonly string[]): CachedStatement["all"] {
  let names = columns;
  statement.setReturnArrays(true);
  return (parameters) => {
    const rows: readonly unknown[] = statement.all(...parameters);
    return rows.map((values) => {
      if (!Array.isArray(values)) throw new Error("unreachable: rows are arrays");
      // A new column of a table is also a column of `select *`.
      if (values.length !== names.length) names = namesOf(statement);
      const row: Record<string, unknown> = {};
      for (let index = 0; index < names.length; index += 1) row[names[index] ?? ""] = values[index];
      return row;
    });
  };
}

function namesOf(statement: StatementSync): readonly string[] {
  return statement.columns().map(({ name }) => name);
}

/** Kysely's driver interface on node:sqlite, with cached statements. */
function shim(
  raw: DatabaseSync,
  {
    prepare,
    run,
  }: { readonly prepare: (text: string) => CachedStatement; readonly run: RunAtOnce },
): SqliteDatabase {
  return {
    prepare(text) {
      const { statement, reader, all } = prepare(text);
      return {
        reader,
        all: (parameters) => [...run(text, parameters)],
        run: (parameters) => statement.run(...bindable(parameters)),
        iterate: (parameters) => all(bindable(parameters)).values(),
      };
    },
    close: () => raw.close(),
  };
}

type Bindable = string | number | bigint | null | Uint8Array;

function bindable(parameters: readonly unknown[]): Bindable[] {
  return parameters.map((value) => {
    if (value === null || typeof value === "string" || typeof value === "number") return value;
    if (typeof value === "bigint" || value instanceof Uint8Array) return value;
    throw new Error(`unreachable: a ${typeof value} cannot be stored`);
  });
}
