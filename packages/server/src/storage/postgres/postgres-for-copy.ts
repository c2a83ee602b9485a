import type { ForCopy } from "../copy/open-for-copy.ts";
import type { Database } from "../tables.ts";
import { openPostgresConnection } from "./connection.ts";
import { faultFromPostgres } from "./faults.ts";

/** Counting and comparing take their time: no limit on a statement. */
export function postgresForCopy(url: string): ForCopy {
  const within = async <Result>(use: (db: Database) => Promise<Result>): Promise<Result> => {
    const { db } = openPostgresConnection(url, { max: 1, query_timeout: 0 });
    try {
      return await use(db);
    } catch (error) {
      throw faultFromPostgres(error);
    } finally {
      await db.destroy();
    }
  };
  return {
    engine: "postgres",
    reading: (use) =>
      within((db) =>
        db
          .transaction()
          .setIsolationLevel("repeatable read")
          .setAccessMode("read only")
          .execute(use),
      ),
    writing: (use) => within((db) => db.transaction().execute(use)),
  };
}
