import type { Migration } from "kysely/migration";
import type { MigrationContext } from "./migrations.ts";
import { createPortalTables } from "./0001-portal.ts";
import { carryBackToPortal, moveFromPortal } from "./portal-data.ts";
import { createSessionTables, dropSessionTables } from "./session-tables.ts";

const PORTAL_TABLES = ["Repo", "AgentSession", "AgentMessage"] as const;

/**
 * From the portal's five statuses to sessions with status, state and phase: the tables and the data in
 * them, in one transaction. The portal's own tables are kept as `portal_…`, so that rolling back
 * restores them to the letter; where they are empty nothing is kept.
 */
export function sessions({ engine, failpoint }: MigrationContext): Migration {
  return {
    async up(db) {
      for (const table of PORTAL_TABLES) {
        await db.schema.alterTable(table).renameTo(`portal_${table}`).execute();
      }
      failpoint("migrate.portal.renamed");
      await createSessionTables(db, engine);
      failpoint("migrate.portal.created");
      const moved = await moveFromPortal(db, { engine, failpoint });
      if (moved > 0) return;
      for (const table of PORTAL_TABLES.toReversed()) {
        await db.schema.dropTable(`portal_${table}`).execute();
      }
    },

    async down(db) {
      for (const table of PORTAL_TABLES) {
        await db.schema.alterTable(table).renameTo(`holdfast_${table}`).execute();
      }
      const tables = await db.introspection.getTables();
      if (tables.some(({ name }) => name === "portal_AgentSession")) {
        for (const table of PORTAL_TABLES) {
          await db.schema.alterTable(`portal_${table}`).renameTo(table).execute();
        }
      } else {
        await createPortalTables(db, engine);
      }
      await carryBackToPortal(db, { engine, failpoint });
      await dropSessionTables(db, engine);
    },
  };
}
