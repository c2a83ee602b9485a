import { closeSync, openSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** Overwrites an inner page of a table, as a failing disk does. The database must be closed. */
export function damagePage(file: string, table: string): void {
  const raw = new DatabaseSync(file);
  raw.exec("pragma wal_checkpoint(truncate); pragma journal_mode = delete");
  const size = Number(raw.prepare("pragma page_size").get()?.["page_size"]);
  const page = Number(
    raw.prepare(`select "rootpage" from sqlite_schema where "name" = ?`).get(table)?.["rootpage"],
  );
  raw.close();
  const handle = openSync(file, "r+");
  writeSync(handle, new Uint8Array(size).fill(0xa5), 0, size, (page - 1) * size);
  closeSync(handle);
}
