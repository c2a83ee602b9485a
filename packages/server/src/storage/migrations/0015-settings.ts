import type { Migration } from "kysely/migration";
import { statementsOnly, type MigrationContext } from "./migration-context.ts";

/** Adds the mode and options of sessions and runs as JSON, and what the last agent of each provider offered. */
export function settings({ engine }: Pick<MigrationContext, "engine">): Migration {
  const integer = engine === "sqlite" ? "integer" : "bigint";
  return statementsOnly(
    [
      `alter table "AgentSession" add column "settings" text`,
      `alter table "Run" add column "settings" text`,
      `alter table "QueuedMessage" add column "settings" text`,
      `create table "ProviderOffer" (
      "provider" text not null,
      "offer" text not null,
      "at" ${integer} not null,
      constraint "provider_offer_key" primary key ("provider")
    )${engine === "sqlite" ? " strict" : ""}`,
    ],
    [
      `drop table "ProviderOffer"`,
      `alter table "QueuedMessage" drop column "settings"`,
      `alter table "Run" drop column "settings"`,
      `alter table "AgentSession" drop column "settings"`,
    ],
  );
}
