import { type Staging } from "../ports/import-store.ts";
import { STAGED } from "../tables.ts";
import { dropLease, renewLease } from "./lease-writes.ts";
import type { Transaction } from "./transaction.ts";

/**
 * An import owns its session under a lease, as a node does. Each part renews it. After a crash the lease expires, which
 * marks the import as abandoned.
 */
const IMPORT_LEASE_MS = 60_000;

export async function leaseImport(transaction: Transaction, { importId }: Staging): Promise<void> {
  await renewLease(transaction, { node: importId, ttlMs: IMPORT_LEASE_MS });
}

/** Locks the session's row and renews the lease. False when the import has lost its session. */
export async function holdImport(transaction: Transaction, staging: Staging): Promise<boolean> {
  const sessions = await transaction.db
    .updateTable("AgentSession")
    .set({ owner: staging.importId })
    .where("id", "=", staging.sessionId)
    .where("owner", "=", staging.importId)
    .where("setAside", "=", STAGED)
    .returning("id")
    .execute();
  if (sessions.length === 0) return false;
  await leaseImport(transaction, staging);
  return true;
}

/** Ends the import. False when the session does not belong to it. */
export async function takeFromImport(
  transaction: Transaction,
  { sessionId, importId }: Staging,
): Promise<boolean> {
  const sessions = await transaction.db
    .updateTable("AgentSession")
    .set({ owner: `${DROPPED}${withoutPrefix(importId)}` })
    .where("id", "=", sessionId)
    .where("owner", "in", [importId, `${DROPPED}${withoutPrefix(importId)}`])
    .where("setAside", "=", STAGED)
    .returning("id")
    .execute();
  await dropLease(transaction, importId);
  return sessions.length > 0;
}

export async function isLeased(transaction: Transaction, importId: string): Promise<boolean> {
  const leases = await transaction.db
    .selectFrom("NodeLease")
    .select("node")
    .where("node", "=", importId)
    .where("expiresAt", ">", transaction.dialect.now)
    .execute();
  return leases.length > 0;
}

/** No lease has an ID with this prefix. */
const DROPPED = "dropped ";

function withoutPrefix(importId: string): string {
  return importId.startsWith(DROPPED) ? importId.slice(DROPPED.length) : importId;
}
