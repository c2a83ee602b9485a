import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { DatabaseLocation } from "../../../packages/server/src/storage/open-store.ts";
import { openRaw } from "../../../packages/server/src/storage/testing/raw-database.ts";

/** The bytes of all files in a folder, by their names. */
export function filesOf(folder: string, when: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    files
      .filter((file) => file.isFile())
      .map((file) => path.join(file.parentPath, file.name))
      .map((file) => [`${file} ${when}`, readFileSync(file, "latin1")]),
  );
}

/** All rows of all tables of a database on PostgreSQL; nothing for SQLite, whose files are searched. */
export async function dumpOf(location: DatabaseLocation): Promise<string> {
  if (location.engine === "sqlite") return "";
  const raw = await openRaw(location);
  try {
    const tables = await raw.all(
      "select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables where table_schema not in ('pg_catalog', 'information_schema')",
    );
    const parts: string[] = [];
    for (const { name } of tables) {
      const rows = await raw.all(`select t::text as row from ${String(name)} t`);
      parts.push(`${String(name)}\n${rows.map(({ row }) => String(row)).join("\n")}`);
    }
    return parts.join("\n");
  } finally {
    await raw.close();
  }
}
