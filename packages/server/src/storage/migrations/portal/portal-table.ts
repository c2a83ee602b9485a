import { sql, type ColumnMetadata, type Kysely } from "kysely";
import type { MigrationContext } from "../migration-context.ts";
import { columnsOf, timeReader } from "./portal-rows.ts";

/** A value for a column of the portal. A `Date` is stored in the form that the portal uses. */
type PortalValue = string | number | null | Date;
type PortalValues = Readonly<Record<string, PortalValue>> & { readonly id: string };

/** A restored table of the portal, with any columns. */
export interface PortalTable {
  /** Leaves out values without a column, and fills required columns without a value. */
  insert(values: PortalValues): Promise<void>;
  update(values: PortalValues): Promise<void>;
}

export async function openPortalTable(
  db: Kysely<unknown>,
  { table, engine }: { table: string; engine: MigrationContext["engine"] },
): Promise<PortalTable> {
  const columns = await columnsOf(db, table);
  const textTimes =
    engine === "sqlite"
      ? await columnsWithTextTimes(db, table, columns)
      : columns.map(({ name }) => name);
  const stored = (column: string, value: PortalValue): string | number | null => {
    if (!(value instanceof Date)) return value;
    return textTimes.includes(column)
      ? value.toISOString().replace("Z", "+00:00")
      : value.getTime();
  };
  return {
    async insert(values) {
      const row = columns
        .filter((column) => Object.hasOwn(values, column.name) || isRequired(column))
        .map((column) => {
          const { name } = column;
          const value = Object.hasOwn(values, name) ? values[name] : filler(column, values);
          return [name, stored(name, value ?? null)] as const;
        });
      await sql`insert into ${sql.table(table)} (${sql.join(row.map(([name]) => sql.ref(name)))})
        values (${sql.join(row.map(([, value]) => value))})`.execute(db);
    },

    async update({ id, ...values }) {
      const changes = columns
        .filter(({ name }) => Object.hasOwn(values, name))
        .map(({ name }) => sql`${sql.ref(name)} = ${stored(name, values[name] ?? null)}`);
      if (changes.length === 0) return;
      await sql`update ${sql.table(table)} set ${sql.join(changes)} where "id" = ${id}`.execute(db);
    },
  };
}

/** SQLite sorts numbers before texts, so a new row needs the form of the newest row to come after it. */
async function columnsWithTextTimes(
  db: Kysely<unknown>,
  table: string,
  columns: readonly ColumnMetadata[],
): Promise<readonly string[]> {
  const time = timeReader("sqlite");
  const textTimes: string[] = [];
  for (const { name } of columns.filter(isTime)) {
    const { rows } = await sql<{
      type: string;
    }>`select typeof(${sql.ref(name)}) as "type" from ${sql.table(table)}
      order by ${time(name)} desc limit 1`.execute(db);
    if (rows[0]?.type === "text") textTimes.push(name);
  }
  return textTimes;
}

function isTime({ dataType }: ColumnMetadata): boolean {
  return /date|time/iu.test(dataType);
}

function isRequired({ isNullable, hasDefaultValue, isAutoIncrementing }: ColumnMetadata): boolean {
  return !isNullable && !hasDefaultValue && !isAutoIncrementing;
}

/** A value of the column's type. A text is the row's ID, because the column may be unique. */
function filler(column: ColumnMetadata, values: PortalValues): PortalValue {
  if (isTime(column))
    return Object.values(values).find((value) => value instanceof Date) ?? new Date(0);
  return /int|bool|real|float|double|decimal|numeric/iu.test(column.dataType) ? 0 : values.id;
}
