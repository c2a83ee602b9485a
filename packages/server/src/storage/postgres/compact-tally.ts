import { sql, type Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** Each change of a session's status adds a row. Compacting the rows of this interval is fast. */
const COMPACT_EVERY_MS = 30_000;

/** Keeps the table of counts short. Returns a function that stops it. */
export function startCompacting(db: Kysely<Tables>): () => void {
  const timer = setInterval(() => {
    // The next run catches up. Other calls report an unreachable database.
    compactTally(db).catch(() => {});
  }, COMPACT_EVERY_MS).unref();
  return () => clearInterval(timer);
}

/**
 * Replaces the rows of a repository and status by one with their sum. Does not block writers that add rows. Two concurrent
 * runs may leave two sums; the next run merges them.
 */
export async function compactTally(db: Kysely<Tables>): Promise<void> {
  await sql`
    with "taken" as (
      delete from "SessionTally"
      where ("repoId", "status") in (
        select "repoId", "status" from "SessionTally" group by 1, 2 having count(*) > 1 or min("folded") = 0
      )
      returning "repoId", "status", "count"
    )
    insert into "SessionTally" ("repoId", "status", "count", "folded")
    select "repoId", "status", sum("count"), 1 from "taken" group by "repoId", "status" having sum("count") <> 0
  `.execute(db);
}
