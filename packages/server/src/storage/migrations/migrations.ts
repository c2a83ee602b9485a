import type { Migration } from "kysely/migration";
import { portal } from "./0001-portal.ts";
import { sessions } from "./0002-sessions.ts";
import { search } from "./0003-search.ts";
import { memory } from "./0004-memory.ts";

export interface MigrationContext {
  readonly engine: "sqlite" | "postgres";
  /** Called at named places, so that tests can end the process there. */
  readonly failpoint: (name: string) => void;
}

/** In order, never edited once released: a change is a new migration. */
export function migrations(context: MigrationContext): Record<string, Migration> {
  return {
    "0001-portal": portal(context),
    "0002-sessions": sessions(context),
    "0003-search": search(context),
    "0004-memory": memory(context),
  };
}
