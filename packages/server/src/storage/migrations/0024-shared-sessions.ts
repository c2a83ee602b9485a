import type { Migration } from "kysely/migration";
import { statementsOnly } from "./migration-context.ts";

/** Adds tokens for one session. Going back removes them: earlier versions would let them read every session. */
export function sharedSessions(): Migration {
  return statementsOnly(
    [`alter table "AccessToken" add column "sessionId" text`],
    [
      `delete from "AccessToken" where "sessionId" is not null`,
      `alter table "AccessToken" drop column "sessionId"`,
    ],
  );
}
