import type { DatabaseInspection } from "./inspection.ts";
import type { MigrationContext } from "./migrations/migrations.ts";
import type { MigrationStatus, MigrationStep } from "./migrations/migrate.ts";
import { identifySqlite, inspectSqlite } from "./sqlite/inspect-sqlite.ts";
import { sqliteMigrations } from "./sqlite/migrate-sqlite.ts";
import { openSqliteStore, type SqliteOptions } from "./sqlite/open-sqlite-store.ts";
import type { StoreOptions } from "./portable-store.ts";
import type { Store } from "./store.ts";

/** Which database, as parsed from configuration. */
export type DatabaseLocation =
  | { readonly engine: "sqlite"; readonly file: string }
  | {
      readonly engine: "postgres";
      readonly url: string;
      /** Where `url` leads through a pooler: straight to the database. */
      readonly directUrl?: string;
    };

export interface Migrations {
  /** All that is pending; in one transaction. */
  up(): Promise<readonly MigrationStep[]>;
  /** One step back. */
  down(): Promise<readonly MigrationStep[]>;
  status(): Promise<readonly MigrationStatus[]>;
}

/** The database must be migrated to exactly this program's schema. PostgreSQL is loaded only where used. */
export async function openStore(
  location: DatabaseLocation,
  options: StoreOptions & Pick<SqliteOptions, "busyTimeoutMs" | "ownThread">,
): Promise<Store> {
  if (location.engine === "sqlite") return openSqliteStore({ file: location.file, ...options });
  const { openPostgresStore } = await import("./postgres/open-postgres-store.ts");
  const { url, directUrl = url } = location;
  return openPostgresStore({ url, directUrl, ...options });
}

export async function openMigrations(
  location: DatabaseLocation,
  failpoint: MigrationContext["failpoint"] = () => {},
): Promise<Migrations> {
  if (location.engine === "sqlite") return sqliteMigrations(location.file, failpoint);
  const { postgresMigrations } = await import("./postgres/migrate-postgres.ts");
  return postgresMigrations(location.directUrl ?? location.url, failpoint);
}

/** Creates nothing and changes nothing. */
export async function inspectDatabase(location: DatabaseLocation): Promise<DatabaseInspection> {
  if (location.engine === "sqlite") return inspectSqlite(location.file);
  const { inspectPostgres } = await import("./postgres/inspect-postgres.ts");
  return inspectPostgres(location.directUrl ?? location.url);
}

/** The identity of an inspection alone. Null when the database does not exist. */
export async function identifyDatabase(location: DatabaseLocation): Promise<string | null> {
  if (location.engine === "sqlite") return identifySqlite(location.file);
  const { identifyPostgres } = await import("./postgres/inspect-postgres.ts");
  return identifyPostgres(location.directUrl ?? location.url);
}
