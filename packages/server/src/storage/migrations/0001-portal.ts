import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import type { MigrationContext } from "./migration-context.ts";

const COLUMNS = {
  Repo: ["id", "name", "path", "createdAt", "updatedAt"],
  AgentSession: ["id", "repoId", "status", "createdAt", "updatedAt"],
  AgentMessage: ["id", "sessionId", "role", "content", "timestamp"],
} as const;

/** Each table comes after the tables it references. */
export const PORTAL_TABLES = ["Repo", "AgentSession", "AgentMessage"] as const;

/**
 * The schema of the portal that preceded Holdfast, as its Prisma models define it. A portal's database has these
 * tables already and stays unchanged. A new database gets them empty.
 */
export function portal({ engine }: MigrationContext): Migration {
  return {
    up: (db) => createPortalTables(db, engine),
    async down(db) {
      // These tables and their data belong to the portal.
      if (await isPortal(db)) return;
      for (const table of PORTAL_TABLES.toReversed()) await db.schema.dropTable(table).execute();
    },
  };
}

/** Whether a portal created or used these tables. The ones created here have no other columns and no rows. */
export async function isPortal(db: Kysely<unknown>): Promise<boolean> {
  const tables = await db.introspection.getTables();
  if (tables.some(({ name }) => name === "_prisma_migrations")) return true;
  for (const table of PORTAL_TABLES) {
    const columns =
      tables.find(({ name }) => name === table)?.columns.map(({ name }) => name) ?? [];
    if (columns.join() !== COLUMNS[table].join()) return true;
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db);
    if (rows.length > 0) return true;
  }
  return false;
}

export async function createPortalTables(
  db: Kysely<unknown>,
  engine: MigrationContext["engine"],
): Promise<void> {
  const time = sql.raw(engine === "sqlite" ? "datetime" : "timestamp(3)");
  const now = sql`current_timestamp`;
  await db.schema
    .createTable("Repo")
    .ifNotExists()
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("path", "text", (column) => column.notNull())
    .addColumn("createdAt", sql`${time}`, (column) => column.notNull().defaultTo(now))
    .addColumn("updatedAt", sql`${time}`, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("AgentSession")
    .ifNotExists()
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .addColumn("repoId", "text", (column) => column.notNull().references("Repo.id"))
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("createdAt", sql`${time}`, (column) => column.notNull().defaultTo(now))
    .addColumn("updatedAt", sql`${time}`, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("AgentMessage")
    .ifNotExists()
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .addColumn("sessionId", "text", (column) => column.notNull().references("AgentSession.id"))
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("content", "text", (column) => column.notNull())
    .addColumn("timestamp", sql`${time}`, (column) => column.notNull().defaultTo(now))
    .execute();
}
