import { migrations } from "../migrations.ts";

/** All migrations, in the order in which they run. */
export const MIGRATION_NAMES: readonly string[] = Object.keys(
  migrations({ engine: "sqlite", failpoint: () => {} }),
);
export const NEWEST_MIGRATION: string = MIGRATION_NAMES.at(-1) ?? "";
