import { CompiledQuery } from "kysely";
import type { Transaction } from "./transaction.ts";

/**
 * Runs a statement written out with `?` for its parameters. For what happens with every word of an
 * agent: there, building a statement costs more than twice what running it does.
 */
export async function runWrittenOut<Row>(
  { db, engine }: Transaction,
  text: string,
  parameters: readonly (string | number | null)[],
): Promise<readonly Row[]> {
  const statement = engine === "postgres" ? numbered(text) : text;
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(statement, [...parameters]));
  return rows;
}

function numbered(text: string): string {
  let number = 0;
  return text.replaceAll("?", () => `$${(number += 1)}`);
}
