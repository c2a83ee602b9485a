import type { DatabaseAccess, Migrations, OpenOptions } from "./database-access.ts";
import type { DatabaseInspection } from "./inspection.ts";
import type { MigrationContext } from "./migrations/migration-context.ts";
import { sqliteAccess } from "./sqlite/sqlite-access.ts";
import type { Store } from "./store.ts";

/** A database as the configuration names it. */
export type DatabaseLocation =
  | { readonly engine: "sqlite"; readonly file: string }
  | {
      readonly engine: "postgres";
      readonly url: string;
      /** A URL that bypasses the connection pooler, if `url` leads through one. */
      readonly directUrl?: string;
    };

/** PostgreSQL's driver is loaded only when it is used. */
export async function databaseAt(location: DatabaseLocation): Promise<DatabaseAccess> {
  if (location.engine === "sqlite") return sqliteAccess(location.file);
  const { postgresAccess } = await import("./postgres/postgres-access.ts");
  return postgresAccess(location);
}

export async function openStore(location: DatabaseLocation, options: OpenOptions): Promise<Store> {
  return (await databaseAt(location)).openStore(options);
}

export async function openMigrations(
  location: DatabaseLocation,
  failpoint: MigrationContext["failpoint"] = () => {},
): Promise<Migrations> {
  return (await databaseAt(location)).migrations(failpoint);
}

export async function inspectDatabase(location: DatabaseLocation): Promise<DatabaseInspection> {
  return (await databaseAt(location)).inspect();
}

/** Describes damaged places of the database. Reads all of it. */
export async function findDatabaseDamage(
  location: DatabaseLocation,
  how: Parameters<DatabaseAccess["findDamage"]>[0] = "at once",
): Promise<readonly string[]> {
  return (await databaseAt(location)).findDamage(how);
}

export async function identifyDatabase(location: DatabaseLocation): Promise<string | null> {
  return (await databaseAt(location)).identify();
}
