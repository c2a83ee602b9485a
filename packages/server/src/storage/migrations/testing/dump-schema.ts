import type { DatabaseLocation } from "../../open-store.ts";
import { openRaw, type RawDatabase } from "../../testing/raw-database.ts";

/** The schema as SQL for a diff. It is the same for all databases of an engine. */
export async function dumpSchema(location: DatabaseLocation): Promise<string> {
  const raw = await openRaw(location);
  try {
    return await (location.engine === "sqlite" ? dumpSqlite(raw) : dumpPostgres(raw));
  } finally {
    await raw.close();
  }
}

async function dumpSqlite(raw: RawDatabase): Promise<string> {
  const rows = await raw.all(
    `select sql from sqlite_master
      where sql is not null and tbl_name not in (select name from pragma_table_list where type = 'shadow')
      order by tbl_name, type <> 'table', type, name`,
  );
  return rows.map(({ sql }) => `${straightened(String(sql))};\n`).join("\n");
}

/** Removes the indentation of the source file. */
function straightened(statement: string): string {
  const [first = "", ...rest] = statement.split("\n").filter((line) => line.trim() !== "");
  const indents = rest.map((line) => line.length - line.trimStart().length);
  const margin = Math.min(...indents) - (rest.at(-1)?.trimStart().startsWith(")") === true ? 0 : 2);
  return [first.trimEnd(), ...rest.map((line) => line.slice(margin).trimEnd())].join("\n");
}

async function dumpPostgres(raw: RawDatabase): Promise<string> {
  const tables = await raw.all(
    `select relname as "table" from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`,
  );
  const dumped: string[] = [];
  for (const { table } of tables) dumped.push(await dumpPostgresTable(raw, String(table)));
  const functions = await raw.all(
    `select pg_get_functiondef(oid) as text from pg_proc
      where pronamespace = 'public'::regnamespace order by proname`,
  );
  dumped.push(...functions.map(({ text }) => `${String(text).trimEnd()};\n`));
  return dumped.join("\n");
}

async function dumpPostgresTable(raw: RawDatabase, table: string): Promise<string> {
  const oid = `'public."${table}"'::regclass`;
  const columns = await raw.all(
    `select quote_ident(attname) || ' ' || format_type(atttypid, atttypmod)
        || case when attnotnull then ' not null' else '' end
        || case attidentity when 'a' then ' generated always as identity' else '' end
        || coalesce(' default ' || pg_get_expr(adbin, adrelid), '') as line
      from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
      where attrelid = ${oid} and attnum > 0 and not attisdropped order by attnum`,
  );
  // Since version 18, "not null" is also listed as a constraint. The columns show it already.
  const constraints = await raw.all(
    `select 'constraint ' || quote_ident(conname) || ' ' || pg_get_constraintdef(oid) as line
      from pg_constraint where conrelid = ${oid} and contype <> 'n' order by conname`,
  );
  const indexes = await raw.all(
    `select pg_get_indexdef(indexrelid) as line from pg_index join pg_class on pg_class.oid = indexrelid
      where indrelid = ${oid} and indexrelid not in (select conindid from pg_constraint) order by relname`,
  );
  const triggers = await raw.all(
    `select pg_get_triggerdef(oid) as line from pg_trigger
      where tgrelid = ${oid} and not tgisinternal order by tgname`,
  );
  const lines = [...columns, ...constraints].map(({ line }) => `  ${String(line)}`);
  return [
    `create table "${table}" (\n${lines.join(",\n")}\n);\n`,
    ...[...indexes, ...triggers].map(({ line }) => `${String(line)};\n`),
  ].join("");
}
