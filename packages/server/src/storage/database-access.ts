import type { Dialect } from "./dialect.ts";
import type { DatabaseInspection } from "./inspection.ts";
import type { MigrationStatus, MigrationStep } from "./migrations/migrate.ts";
import type { MigrationContext } from "./migrations/migration-context.ts";
import type { StoreOptions } from "./portable-store.ts";
import type { Store } from "./store.ts";
import type { Database } from "./tables.ts";

/** All operations on one database. Each call opens its own connection. */
export interface DatabaseAccess {
  readonly dialect: Dialect;
  /** The database must have exactly the schema of this program. */
  openStore(options: OpenOptions): Promise<Store>;
  migrations(failpoint: MigrationContext["failpoint"]): Migrations;
  /** Creates and changes nothing. */
  inspect(): Promise<DatabaseInspection>;
  /** The `identity` of an inspection. Null when the database does not exist. */
  identify(): Promise<string | null>;
  /**
   * Describes damaged places of the file, and changes nothing. Slowly: beside a server that is at work. Empty on PostgreSQL,
   * which has its own checks.
   */
  findDamage(how: { readonly slowly: AbortSignal } | "at once"): Promise<readonly string[]>;
  /** Reads a snapshot of one moment. */
  reading<Result>(use: (db: Database) => Promise<Result>): Promise<Result>;
  /** Writes in one transaction. An error rolls it back. */
  writing<Result>(use: (db: Database) => Promise<Result>): Promise<Result>;
}

export interface OpenOptions extends StoreOptions {
  /** SQLite: how long a write waits for another process before it fails as `database_busy`. */
  readonly busyTimeoutMs?: number;
  /** SQLite: false for a command that writes little and exits. A server needs the thread, or writes would block reads. */
  readonly ownThread?: boolean;
  /** SQLite: false for the one server of a data folder, whose writes no other process has to notice. */
  readonly leavesMarks?: boolean;
  /** PostgreSQL: how long a call waits for a connection, and for a reply, instead of the times of a server. */
  readonly replyTimeoutMs?: number;
}

export interface Migrations {
  /** Runs all pending migrations in one transaction. */
  up(): Promise<readonly MigrationStep[]>;
  /** Reverts the newest migration. */
  down(): Promise<readonly MigrationStep[]>;
  status(): Promise<readonly MigrationStatus[]>;
}
