import type { Compilable, CompiledQuery } from "kysely";
import type { Database } from "./tables.ts";

type Engine = "sqlite" | "postgres";

/** Rows as the driver gives them, with the names of the statement. */
export type RunAtOnce = (text: string, parameters: readonly unknown[]) => readonly unknown[];

/** Where a statement runs. */
export interface Place {
  readonly db: Database;
  readonly engine: Engine;
  /** Where nothing has to be waited for. */
  readonly run?: RunAtOnce;
}

/** A statement that is built once, run with values of its own each time. */
export type Prepared<Given extends object, Row> = (
  place: Place,
  given: Given,
) => Promise<readonly Row[]>;

/**
 * For what runs with every request: to build a statement costs more than twice what running it does. `build` gets marks in
 * place of values, and must hand them on as they are; the same values must be given each time.
 */
export function prepared<Given extends object, Row>(
  build: (place: Place, given: Given) => Compilable<Row>,
): Prepared<Given, Row> {
  const built = new Map<Engine, CompiledQuery<Row>>();
  return async (place, given) => {
    const { db, engine, run } = place;
    const statement = built.get(engine) ?? build(place, marksFor(given)).compile();
    built.set(engine, statement);
    const values = new Map(Object.entries(given));
    const parameters = statement.parameters.map((value) =>
      value instanceof Mark ? values.get(value.name) : value,
    );
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a statement returns is what it was built to
    if (run !== undefined) return run(statement.sql, parameters) as readonly Row[];
    return (await db.executeQuery<Row>({ ...statement, parameters })).rows;
  };
}

/** Stands for a value while a statement is built. */
class Mark {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

function marksFor<Given extends object>(given: Given): Given {
  const marks = Object.keys(given).map((name) => [name, new Mark(name)]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no value is looked at while a statement is built
  return Object.fromEntries(marks) as Given;
}
