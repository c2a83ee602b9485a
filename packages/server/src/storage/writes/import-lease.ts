import { type Staging } from "../ports/import-store.ts";
import { STAGED } from "../tables.ts";
import { dropLease, renewLease } from "./lease-writes.ts";
import type { Transaction } from "./transaction.ts";

/**
 * An import owns its session under a lease of its own, as a node does, which every part renews: what a
 * crash has left is known by a lease that ran out. Parts follow each other at once.
 */
const IMPORT_LEASE_MS = 60_000;

export async function leaseImport(transaction: Transaction, { importId }: Staging): Promise<void> {
  await renewLease(transaction, { node: importId, ttlMs: IMPORT_LEASE_MS });
}

/** False when the import has lost its session. Holds the session's row until the transaction ends. */
export async function holdImport(transaction: Transaction, staging: Staging): Promise<boolean> {
  const held = await transaction.db
    .updateTable("AgentSession")
    .set({ owner: staging.importId })
    .where("id", "=", staging.sessionId)
    .where("owner", "=", staging.importId)
    .where("setAside", "=", STAGED)
    .returning("id")
    .execute();
  if (held.length === 0) return false;
  await leaseImport(transaction, staging);
  return true;
}

/** From now on whoever imports it cannot go on. False when the session is not this import's. */
export async function takeFromImport(
  transaction: Transaction,
  { sessionId, importId }: Staging,
): Promise<boolean> {
  const taken = await transaction.db
    .updateTable("AgentSession")
    .set({ owner: `${DROPPED}${withoutMark(importId)}` })
    .where("id", "=", sessionId)
    .where("owner", "in", [importId, `${DROPPED}${withoutMark(importId)}`])
    .where("setAside", "=", STAGED)
    .returning("id")
    .execute();
  await dropLease(transaction, importId);
  return taken.length > 0;
}

export async function isLeased(transaction: Transaction, importId: string): Promise<boolean> {
  const alive = await transaction.db
    .selectFrom("NodeLease")
    .select("node")
    .where("node", "=", importId)
    .where("expiresAt", ">", transaction.dialect.now)
    .execute();
  return alive.length > 0;
}

/** Nobody has a lease of such a name. */
const DROPPED = "dropped ";

function withoutMark(importId: string): string {
  return importId.startsWith(DROPPED) ? importId.slice(DROPPED.length) : importId;
}
