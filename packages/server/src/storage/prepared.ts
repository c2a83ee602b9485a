import { CompiledQuery, type Compilable } from "kysely";
import type { Dialect, Queryable } from "./dialect.ts";

/** A statement that is compiled once and runs with other values each time. */
export type Prepared<Values extends object, Row> = (
  at: Queryable,
  values: Values,
) => Promise<readonly Row[]>;

/**
 * For statements of every request: compiling one takes more than twice as long as running it. `build` gets a placeholder
 * for each value and must pass it on unchanged. Each call must have the same keys.
 */
export function prepared<Values extends object, Row>(
  build: (at: Queryable, values: Values) => Compilable<Row>,
): Prepared<Values, Row> {
  const compiled = new Map<Dialect, CompiledQuery<Row>>();
  return async (at, values) => {
    const { dialect } = at;
    const statement = compiled.get(dialect) ?? build(at, placeholdersFor(values)).compile();
    compiled.set(dialect, statement);
    const byName = new Map(Object.entries(values));
    const parameters = statement.parameters.map((value) =>
      value instanceof Placeholder ? byName.get(value.name) : value,
    );
    return runCompiled(at, { ...statement, parameters });
  };
}

/** Without the asynchronous layers of the query builder where the driver is synchronous. */
export async function runCompiled<Row>(
  { db, run }: Queryable,
  query: CompiledQuery<Row>,
): Promise<readonly Row[]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement determines its rows
  if (run !== undefined) return run(query.sql, query.parameters) as readonly Row[];
  return (await db.executeQuery<Row>(query)).rows;
}

class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

function placeholdersFor<Values extends object>(values: Values): Values {
  const placeholders = Object.keys(values).map((name) => [name, new Placeholder(name)]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no value is read while a statement is built
  return Object.fromEntries(placeholders) as Values;
}

/** Runs a statement written as text, with `?` for its parameters. For every piece of text that an agent streams. */
export async function runStatement<Row>(
  { db, dialect, run }: Queryable,
  text: string,
  parameters: readonly (string | number | null)[],
): Promise<readonly Row[]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement determines its rows
  if (run !== undefined) return run(text, parameters) as readonly Row[];
  const query = CompiledQuery.raw(dialect.placeholders(text), [...parameters]);
  return (await db.executeQuery<Row>(query)).rows;
}
