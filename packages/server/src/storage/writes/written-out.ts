import { CompiledQuery } from "kysely";
import type { Transaction } from "./transaction.ts";

/**
 * Runs a statement written out with `?` for its parameters. For what happens with every word of an
 * agent: there, building a statement costs more than twice what running it does.
 */
export async function runWrittenOut<Row>(
  { db, engine, run }: Transaction,
  text: string,
  parameters: readonly (string | number | null)[],
): Promise<readonly Row[]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a statement returns is what it was written to
  if (run !== undefined) return run(text, parameters) as readonly Row[];
  const statement = engine === "postgres" ? numbered(text) : text;
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(statement, [...parameters]));
  return rows;
}

function numbered(text: string): string {
  let number = 0;
  return text.replaceAll("?", () => `$${(number += 1)}`);
}
