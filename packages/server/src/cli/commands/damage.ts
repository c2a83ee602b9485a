import type { DatabaseLocation } from "../../storage/open-store.ts";
import { findDatabaseDamage } from "../../storage/open-store.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { dataSettings, describeDatabase, type DataFlags } from "../settings/settings.ts";
import { openPrinter } from "../terminal/printer.ts";

/** Reads the whole database file and reports damaged places. Exits with 2 if there are any. */
export async function checkForDamage(flags: DataFlags & { readonly json?: true }): Promise<number> {
  const printer = openPrinter(flags);
  const { database } = dataSettings(flags, process.env);
  if (database.engine === "postgres")
    throw new CommandFailure("PostgreSQL checks its files itself: use pg_amcheck.");
  const damage = await findDatabaseDamage(database);
  printer.result(
    { damage },
    damage.length === 0
      ? `${describeDatabase(database)}: no damage found`
      : damageText(database, damage),
  );
  return damage.length === 0 ? EXIT.done : EXIT.failed;
}

export function damageText(database: DatabaseLocation, damage: readonly string[]): string {
  return `${describeDatabase(database)} is damaged: ${damage.join("; ")}. Stop the server and copy the file with its -wal file before anything else; then see docs/backup.md, "A damaged database"`;
}
