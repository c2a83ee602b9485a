import type { Migration } from "kysely/migration";
import { statementsOnly } from "./migration-context.ts";

/** Adds whether a queued message is to steer the current run: `wanted` or `given`. */
export function steering(): Migration {
  return statementsOnly(
    [`alter table "QueuedMessage" add column "steer" text`],
    [`alter table "QueuedMessage" drop column "steer"`],
  );
}
