import { COPIED_TABLES } from "../copy/copied-tables.ts";
import type { DatabaseLocation } from "../open-store.ts";
import { openRaw, type RawDatabase } from "./raw-database.ts";

type Row = Readonly<Record<string, unknown>>;

/** All rows of all copied tables, read on a separate connection. JSON stays text. */
export async function allRows(
  location: DatabaseLocation,
): Promise<Readonly<Record<string, readonly Row[]>>> {
  const raw = await openRaw(location);
  try {
    const all: Record<string, readonly Row[]> = {};
    for (const { name } of COPIED_TABLES) {
      const rows =
        location.engine === "sqlite"
          ? await raw.all(`select * from "${name}"`)
          : await postgresRows(raw, name);
      all[name] = rows.toSorted((left, right) => (textOf(left) < textOf(right) ? -1 : 1));
    }
    return all;
  } finally {
    await raw.close();
  }
}

async function postgresRows(raw: RawDatabase, table: string): Promise<readonly Row[]> {
  const columns = await raw.all(
    `select column_name as "name", data_type as "type" from information_schema.columns
      where table_schema = 'public' and table_name = '${table}'`,
  );
  const casts: Readonly<Record<string, string>> = { json: "text", bigint: "float8" };
  const selected = columns.map(({ name, type }) => {
    const cast = casts[String(type)];
    return `"${String(name)}"${cast === undefined ? "" : `::${cast} as "${String(name)}"`}`;
  });
  return raw.all(`select ${selected.join(", ")} from "${table}"`);
}

function textOf(row: Row): string {
  const columns = Object.keys(row).toSorted();
  return JSON.stringify(columns.map((column) => row[column]));
}
