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
  const fill = filling(build);
  return (at, values) => {
    const { text, parameters } = fill(at, values);
    return rowsOf<Row>(at, text, parameters);
  };
}

/** The same for a write whose rows nobody reads. The transaction waits for it at its end. */
export function preparedWrite<Values extends object>(
  build: (at: Queryable, values: Values) => Compilable<unknown>,
): (at: Queryable, values: Values) => Promise<void> {
  const fill = filling(build);
  return async (at, values) => {
    const { text, parameters } = fill(at, values);
    await write(at, text, parameters);
  };
}

interface Filled {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

function filling<Values extends object>(
  build: (at: Queryable, values: Values) => Compilable<unknown>,
): (at: Queryable, values: Values) => Filled {
  const compiled = new Map<Dialect, CompiledQuery<unknown>>();
  return (at, values) => {
    const statement = compiled.get(at.dialect) ?? build(at, placeholdersFor(values)).compile();
    compiled.set(at.dialect, statement);
    const byName = new Map(Object.entries(values));
    const parameters = statement.parameters.map((value) =>
      value instanceof Placeholder ? byName.get(value.name) : value,
    );
    return { text: statement.sql, parameters };
  };
}

async function rowsOf<Row>(
  at: Queryable,
  text: string,
  parameters: readonly unknown[],
): Promise<readonly Row[]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement determines its rows
  if (at.run !== undefined) return at.run(text, parameters) as readonly Row[];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement determines its rows
  if (at.ask !== undefined) return (await at.ask(text, parameters)) as readonly Row[];
  return (await at.db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))).rows;
}

async function write(at: Queryable, text: string, parameters: readonly unknown[]): Promise<void> {
  if (at.send === undefined) await rowsOf(at, text, parameters);
  else at.send(text, parameters);
}

/** A statement that is built each time. Without the asynchronous layers of the query builder where the driver is synchronous. */
export async function runCompiled<Row>(
  at: Queryable,
  query: CompiledQuery<Row>,
): Promise<readonly Row[]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement determines its rows
  if (at.run !== undefined) return at.run(query.sql, query.parameters) as readonly Row[];
  return (await at.db.executeQuery<Row>(query)).rows;
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

type Value = string | number | null;
/** Lists only on PostgreSQL. */
type TextParameters = readonly (Value | readonly Value[])[];

/**
 * Runs a statement written as text, with `?` for its parameters. For every piece of text that an agent streams, and for short
 * commands, which then need no query builder.
 */
export function runStatement<Row>(
  at: Queryable,
  text: string,
  parameters: TextParameters,
): Promise<readonly Row[]> {
  return rowsOf<Row>(at, at.dialect.placeholders(text), parameters);
}

/** The same for a write whose rows nobody reads. The transaction waits for it at its end. */
export function runWrite(at: Queryable, text: string, parameters: TextParameters): Promise<void> {
  return write(at, at.dialect.placeholders(text), parameters);
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
