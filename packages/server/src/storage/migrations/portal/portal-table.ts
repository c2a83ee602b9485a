import { sql, type ColumnMetadata, type Kysely } from "kysely";
import type { MigrationContext } from "../migrations.ts";
import { timeReader } from "./portal-rows.ts";

/** What is written into a portal's column; a `Date` in whichever form its portal has it. */
type PortalValue = string | number | null | Date;
type PortalValues = Readonly<Record<string, PortalValue>> & { readonly id: string };

/** A restored table of the portal: takes rows of ours in its own shape, whatever its columns are. */
export interface PortalTable {
  /** Columns it does not have are left out; those it requires and we know nothing of are filled. */
  insert(values: PortalValues): Promise<void>;
  update(values: PortalValues): Promise<void>;
}

export async function openPortalTable(
  db: Kysely<unknown>,
  { table, engine }: { table: string; engine: MigrationContext["engine"] },
): Promise<PortalTable> {
  const tables = await db.introspection.getTables();
  const columns = tables.find(({ name }) => name === table)?.columns ?? [];
  const textTimes =
    engine === "sqlite" ? await columnsWithTextTimes(db, { table, columns }) : columns.map(nameOf);
  const stored = (column: string, value: PortalValue): string | number | null => {
    if (!(value instanceof Date)) return value;
    return textTimes.includes(column)
      ? value.toISOString().replace("Z", "+00:00")
      : value.getTime();
  };
  const known = (values: PortalValues) => columns.filter(({ name }) => Object.hasOwn(values, name));

  return {
    async insert(values) {
      const given = known(values).map(
        ({ name }) => [name, stored(name, values[name] ?? null)] as const,
      );
      const filled = columns
        .filter((column) => isRequired(column) && !Object.hasOwn(values, column.name))
        .map((column) => [column.name, stored(column.name, filler(column, values))] as const);
      const row = [...given, ...filled];
      await sql`insert into ${sql.table(table)} (${sql.join(row.map(([name]) => sql.ref(name)))})
        values (${sql.join(row.map(([, value]) => value))})`.execute(db);
    },

    async update({ id, ...values }) {
      const changes = known({ id, ...values })
        .filter(({ name }) => name !== "id")
        .map(({ name }) => sql`${sql.ref(name)} = ${stored(name, values[name] ?? null)}`);
      if (changes.length === 0) return;
      await sql`update ${sql.table(table)} set ${sql.join(changes)} where "id" = ${id}`.execute(db);
    },
  };
}

function nameOf({ name }: ColumnMetadata): string {
  return name;
}

/** Numbers sort before texts in SQLite: what is added must have the form of the newest row to come after it. */
async function columnsWithTextTimes(
  db: Kysely<unknown>,
  { table, columns }: { table: string; columns: readonly ColumnMetadata[] },
): Promise<readonly string[]> {
  const time = timeReader("sqlite");
  const found: string[] = [];
  for (const { name } of columns.filter(isTime)) {
    const { rows } = await sql<{
      type: string;
    }>`select typeof(${sql.ref(name)}) as "type" from ${sql.table(table)}
      order by ${time(name)} desc limit 1`.execute(db);
    if (rows[0]?.type === "text") found.push(name);
  }
  return found;
}

function isTime({ dataType }: ColumnMetadata): boolean {
  return /date|time/iu.test(dataType);
}

function isRequired({ isNullable, hasDefaultValue, isAutoIncrementing }: ColumnMetadata): boolean {
  return !isNullable && !hasDefaultValue && !isAutoIncrementing;
}

/** Something of the column's type; a text is the row's id, since it may have to be unique. */
function filler(column: ColumnMetadata, values: PortalValues): PortalValue {
  if (isTime(column))
    return Object.values(values).find((value) => value instanceof Date) ?? new Date(0);
  return /int|bool|real|float|double|decimal|numeric/iu.test(column.dataType) ? 0 : values.id;
}
