import type { ForCopy } from "../copy/open-for-copy.ts";
import type { Database } from "../tables.ts";
import { openSqliteConnection } from "./connection.ts";
import { faultFromSqlite } from "./faults.ts";

export function sqliteForCopy(file: string): ForCopy {
  const within = async <Result>(
    { readOnly, begin }: { readonly readOnly: boolean; readonly begin: string },
    use: (db: Database) => Promise<Result>,
  ): Promise<Result> => {
    try {
      const { raw, db } = openSqliteConnection(file, { readOnly });
      try {
        raw.exec(begin);
        const result = await use(db);
        raw.exec("commit");
        return result;
      } finally {
        // Closing it ends what has not been committed.
        await db.destroy();
      }
    } catch (error) {
      throw faultFromSqlite(error);
    }
  };
  return {
    engine: "sqlite",
    reading: (use) => within({ readOnly: true, begin: "begin" }, use),
    writing: (use) => within({ readOnly: false, begin: "begin immediate" }, use),
  };
}
