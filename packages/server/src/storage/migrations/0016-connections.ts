import type { Migration } from "kysely/migration";
import { statementsOnly } from "./migration-context.ts";

/** Adds the MCP servers and the further directories of a session, as JSON; null means none. */
export function connections(): Migration {
  return statementsOnly(
    [
      `alter table "AgentSession" add column "mcpServers" text`,
      `alter table "AgentSession" add column "directories" text`,
    ],
    [
      `alter table "AgentSession" drop column "directories"`,
      `alter table "AgentSession" drop column "mcpServers"`,
    ],
  );
}
