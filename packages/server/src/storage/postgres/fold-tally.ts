import { sql, type Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** Each change of a session's status adds a row: what gathers in this time is added up in no time. */
const FOLD_EVERY_MS = 30_000;

/** Keeps what is read for a count short. Returns how to stop it. */
export function startFolding(db: Kysely<Tables>): () => void {
  const timer = setInterval(() => {
    // A database that is away is noticed by others; the next time does for both.
    foldTally(db).catch(() => {});
  }, FOLD_EVERY_MS).unref();
  return () => clearInterval(timer);
}

/**
 * Makes one row of a sum and what was added to it since. Those who add rows meanwhile are not held up. Of two who fold at once the
 * second finds the rows gone that the first has deleted, and may leave a sum beside the first one's: the next time makes one of them.
 */
export async function foldTally(db: Kysely<Tables>): Promise<void> {
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
