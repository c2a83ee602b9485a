import type { Queryable } from "../dialect.ts";
import type { StoredSession } from "../ports/session-store.ts";
import { runStatement } from "../prepared.ts";
import type { SessionRow } from "../tables.ts";

/** The transaction of a write. The engine opens and commits it. */
export type Transaction = Queryable;

export type SessionLock = Omit<StoredSession, "session"> &
  Pick<SessionRow, "updatedAt" | "lastActiveAt">;

/** The columns of a `SessionLock`. */
export const LOCKED = `"version", "lastSeq", "owner", "epoch", "agentCursor", "updatedAt", "lastActiveAt"`;

/** Locks the session's row until the transaction ends, so that sequence order is commit order. */
export async function lockSession(
  transaction: Transaction,
  sessionId: string,
): Promise<SessionLock | undefined> {
  const [lock] = await runStatement<SessionLock>(
    transaction,
    `select ${LOCKED} from "AgentSession" where "id" = ?${transaction.dialect.forUpdate}`,
    [sessionId],
  );
  return lock;
}
