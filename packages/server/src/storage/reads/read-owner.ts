import { prepared } from "../prepared.ts";
import type { Owner } from "../ports/node-store.ts";
import { databaseNow } from "../writes/transaction.ts";
import type { Source } from "./source.ts";

/** Alive by the database's own clock, as `claim` judges it. */
export async function readOwner(source: Source, sessionId: string): Promise<Owner | null> {
  const [row] = await ownerRowOf(source, { sessionId });
  if (row === undefined || row.owner === null) return null;
  return { node: row.owner, alive: row.expiresAt !== null && row.expiresAt > row.now };
}

const ownerRowOf = prepared((place, { sessionId }: { sessionId: string }) =>
  place.db
    .selectFrom("AgentSession")
    .leftJoin("NodeLease", "NodeLease.node", "AgentSession.owner")
    .select(["AgentSession.owner", "NodeLease.expiresAt"])
    .select(databaseNow(place).as("now"))
    .where("AgentSession.id", "=", sessionId),
);
