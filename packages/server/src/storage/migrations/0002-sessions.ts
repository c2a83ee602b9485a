import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { execute, type MigrationContext } from "./migration-context.ts";
import { createPortalTables, isPortal, PORTAL_TABLES } from "./0001-portal.ts";
import { carryBackToPortal } from "./portal/carry-back-to-portal.ts";
import { moveFromPortal } from "./portal/move-from-portal.ts";
import { dropSessionTables, sessionTables } from "./session-tables.ts";

/**
 * Replaces the portal's five statuses by status, state and phase, and moves the data, in one transaction. The portal's
 * tables are renamed to `portal_…`, so that a rollback restores them exactly. Without a portal they are dropped.
 */
export function sessions(context: MigrationContext): Migration {
  const { engine, failpoint } = context;
  return {
    async up(db) {
      const keepsPortal = await isPortal(db);
      await renameTables(db, { from: "", to: "portal_" });
      failpoint("migrate.portal.renamed");
      await execute(db, sessionTables(engine));
      failpoint("migrate.portal.created");
      await moveFromPortal(db, context);
      if (keepsPortal) return;
      for (const table of PORTAL_TABLES.toReversed()) {
        await db.schema.dropTable(`portal_${table}`).execute();
      }
    },

    async down(db) {
      await renameTables(db, { from: "", to: "holdfast_" });
      failpoint("rollback.portal.renamed");
      const tables = await db.introspection.getTables();
      if (tables.some(({ name }) => name === "portal_AgentSession")) {
        await renameTables(db, { from: "portal_", to: "" });
      } else {
        await createPortalTables(db, engine);
      }
      failpoint("rollback.portal.restored");
      await carryBackToPortal(db, context);
      failpoint("rollback.portal.carried");
      await dropSessionTables(db, engine);
      failpoint("rollback.portal.dropped");
    },
  };
}

async function renameTables(
  db: Kysely<unknown>,
  { from, to }: { from: string; to: string },
): Promise<void> {
  for (const table of PORTAL_TABLES) {
    await db.schema.alterTable(`${from}${table}`).renameTo(`${to}${table}`).execute();
  }
}
