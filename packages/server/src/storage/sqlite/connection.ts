import { DatabaseSync, type StatementSync } from "node:sqlite";
import { Kysely, SqliteAdapter, SqliteDialect, type SqliteDatabase } from "kysely";
import { keepNewest } from "../keep-newest.ts";
import type { RunAtOnce } from "../dialect.ts";
import type { Tables } from "../tables.ts";
import { isBusy } from "./faults.ts";

/** Statements kept ready per connection; lists of ids make ever new ones. */
const CACHED_STATEMENTS = 200;
const BUSY_TIMEOUT_MS = 5000;
const RETRY_MS = 10;
/** The log of changes is cut back to this size after a checkpoint. */
const WAL_BYTES = 16 * 1024 * 1024;

export interface SqliteConnection {
  readonly raw: DatabaseSync;
  readonly db: Kysely<Tables>;
  /** Runs a statement at once, without the ways that are there for databases that are waited for. */
  readonly run: RunAtOnce;
}

export interface ConnectionOptions {
  readonly readOnly: boolean;
  readonly busyTimeoutMs?: number;
  /** Who may read it faster just now; null when nobody does. */
  readonly readElsewhere?: (text: string, parameters: readonly unknown[]) => Rows | null;
}

type Rows = ReturnType<RunAtOnce>;

export function openSqliteConnection(
  file: string,
  { readOnly, busyTimeoutMs = BUSY_TIMEOUT_MS, readElsewhere = () => null }: ConnectionOptions,
): SqliteConnection {
  const raw = new DatabaseSync(file, { timeout: busyTimeoutMs });
  try {
    useWriteAheadLog(raw, busyTimeoutMs);
    raw.exec(`pragma synchronous = full`);
    raw.exec(`pragma foreign_keys = on`);
    raw.exec(`pragma journal_size_limit = ${WAL_BYTES}`);
    if (readOnly) raw.exec(`pragma query_only = on`);
  } catch (error) {
    raw.close();
    throw error;
  }
  return connect(raw, readElsewhere);
}

/** Read only, with no setting of ours: for a file that may be somebody else's. The file must exist. */
export function openSqliteAsItIs(file: string): SqliteConnection {
  return connect(new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS }), () => null);
}

function connect(
  raw: DatabaseSync,
  readElsewhere: NonNullable<ConnectionOptions["readElsewhere"]>,
): SqliteConnection {
  const prepare = keepStatements(raw);
  /** What was begun here is read on here: it is all of one moment. */
  const run: RunAtOnce = (text, parameters) =>
    (raw.isTransaction ? null : readElsewhere(text, parameters)) ??
    prepare(text).statement.all(...bindable(parameters));
  const database = shim(raw, { prepare, run });
  return { raw, db: new Kysely<Tables>({ dialect: new NodeSqliteDialect({ database }) }), run };
}

/** SQLite does not wait by itself where two processes open a new file at the same moment. */
function useWriteAheadLog(raw: DatabaseSync, waitMs: number): void {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      raw.exec(`pragma journal_mode = wal`);
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

class NodeSqliteDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}

/** SQLite changes its schema in transactions very well; Kysely's own adapter does not make use of it. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

interface Kept {
  readonly statement: StatementSync;
  readonly reader: boolean;
}

function keepStatements(raw: DatabaseSync): (text: string) => Kept {
  const cache = keepNewest<string, Kept>(CACHED_STATEMENTS);
  return (text) => {
    const known = cache.get(text);
    if (known !== undefined) return known;
    // A transaction that begins by reading could not become a writing one beside another process.
    const statement = raw.prepare(text === "begin" ? "begin immediate" : text);
    const entry = { statement, reader: statement.columns().length > 0 };
    cache.set(text, entry);
    return entry;
  };
}

/** What Kysely expects of a driver, on node:sqlite, with prepared statements kept. */
function shim(
  raw: DatabaseSync,
  { prepare, run }: { readonly prepare: (text: string) => Kept; readonly run: RunAtOnce },
): SqliteDatabase {
  return {
    prepare(text) {
      const { statement, reader } = prepare(text);
      return {
        reader,
        all: (parameters) => [...run(text, parameters)],
        run: (parameters) => statement.run(...bindable(parameters)),
        iterate: (parameters) => statement.iterate(...bindable(parameters)),
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
