import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";

export interface MigrationContext {
  readonly engine: "sqlite" | "postgres";
  /** Called at named points, so that tests can kill the process there. */
  readonly failpoint: (name: string) => void;
}

/** A migration that consists of statements only. */
export function statementsOnly(up: readonly string[], down: readonly string[]): Migration {
  return { up: (db) => execute(db, up), down: (db) => execute(db, down) };
}

export async function execute<Schema>(
  db: Kysely<Schema>,
  statements: readonly string[],
): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** Reads rows in batches sorted by ID, until there are no more. */
export async function eachBatch<Row extends { readonly id: string }>(
  read: (after: string) => Promise<{ readonly rows: readonly Row[] }>,
  use: (rows: readonly Row[]) => Promise<void>,
): Promise<void> {
  for (let after = ""; ;) {
    const { rows } = await read(after);
    const last = rows.at(-1);
    if (last === undefined) return;
    await use(rows);
    after = last.id;
  }
}
