import type { Migration } from "kysely/migration";
import { statementsOnly } from "./migration-context.ts";

/** Adds the description of a node for other nodes, and the label of the nodes that have a repository. */
export function nodes(): Migration {
  return statementsOnly(
    [
      `alter table "NodeLease" add column "about" text`,
      `alter table "NodeLease" add column "draining" integer not null default 0`,
      `alter table "Repo" add column "label" text`,
    ],
    [
      `alter table "Repo" drop column "label"`,
      `alter table "NodeLease" drop column "draining"`,
      `alter table "NodeLease" drop column "about"`,
    ],
  );
}
