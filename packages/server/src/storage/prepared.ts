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
    const { dialect, run } = at;
    const statement = compiled.get(dialect) ?? build(at, placeholdersFor(values)).compile();
    compiled.set(dialect, statement);
    const byName = new Map(Object.entries(values));
    const parameters = statement.parameters.map((value) =>
      value instanceof Placeholder ? byName.get(value.name) : value,
    );
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement determines its rows
    if (run !== undefined) return run(statement.sql, parameters) as readonly Row[];
    return (await at.db.executeQuery<Row>({ ...statement, parameters })).rows;
  };
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

/**
 * Runs a statement written as text, with `?` for its parameters. For every piece of text that an agent streams, and for short
 * commands, which then need no query builder.
 */
export async function runStatement<Row>(
  at: Queryable,
  text: string,
  parameters: readonly (string | number | null)[],
): Promise<readonly Row[]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement determines its rows
  if (at.run !== undefined) return at.run(text, parameters) as readonly Row[];
  const query = CompiledQuery.raw(at.dialect.placeholders(text), [...parameters]);
  return (await at.db.executeQuery<Row>(query)).rows;
}

/** A statement of a short command, written as text with a `?` for each of these values. */
export function written<Values extends Readonly<Record<string, string | number | null>>, Row>(
  text: string,
  names: readonly (keyof Values)[],
): Prepared<Values, Row> {
  return (at, values) =>
    runStatement(
      at,
      text,
      names.map((name) => values[name] ?? null),
    );
}
