import type { Claim, Fence } from "../store.ts";
import { databaseNow, type Transaction } from "./transaction.ts";

/** One row per node, so that the cost of staying alive does not grow with its sessions. */
export async function renewLease(
  transaction: Transaction,
  { node, ttlMs }: { node: string; ttlMs: number },
): Promise<boolean> {
  const { db } = transaction;
  const now = databaseNow(transaction);
  const held = await db
    .selectFrom("NodeLease")
    .select(({ eb }) => eb("expiresAt", ">", now).as("alive"))
    .where("node", "=", node)
    .executeTakeFirst();
  await db
    .insertInto("NodeLease")
    .values(({ eb }) => ({ node, startedAt: now, expiresAt: eb(now, "+", ttlMs) }))
    .onConflict((conflict) =>
      conflict.column("node").doUpdateSet(({ eb }) => ({ expiresAt: eb(now, "+", ttlMs) })),
    )
    .execute();
  return held === undefined || Boolean(held.alive);
}

/** The node is done: whatever it owned is free at once. */
export async function dropLease({ db }: Transaction, node: string): Promise<void> {
  await db.deleteFrom("NodeLease").where("node", "=", node).execute();
}

export async function dropOtherLeases({ db }: Transaction, node: string): Promise<void> {
  await db.deleteFrom("NodeLease").where("node", "!=", node).execute();
}

/** One compare-and-set: of two nodes that want a free session, one gets it, and its epoch is new. */
export async function claimSession(
  transaction: Transaction,
  { sessionId, node }: { sessionId: string; node: string },
): Promise<Claim> {
  const { db } = transaction;
  const claimed = await db
    .updateTable("AgentSession")
    .set(({ eb }) => ({ owner: node, epoch: eb("epoch", "+", 1) }))
    .where("id", "=", sessionId)
    .where(({ eb, or, not, exists, selectFrom }) =>
      or([
        eb("owner", "is", null),
        not(
          exists(
            selectFrom("NodeLease")
              .select("NodeLease.node")
              .whereRef("NodeLease.node", "=", "AgentSession.owner")
              .where("NodeLease.expiresAt", ">", databaseNow(transaction)),
          ),
        ),
      ]),
    )
    .returning("epoch")
    .executeTakeFirst();
  if (claimed !== undefined) return { ok: true, epoch: claimed.epoch };
  const held = await db
    .selectFrom("AgentSession")
    .select(["owner", "epoch"])
    .where("id", "=", sessionId)
    .executeTakeFirst();
  if (held?.owner === node) return { ok: true, epoch: held.epoch };
  return { ok: false, owner: held?.owner ?? null };
}

export async function releaseSession(
  { db }: Transaction,
  { sessionId, node, epoch }: { sessionId: string } & Fence,
): Promise<boolean> {
  const released = await db
    .updateTable("AgentSession")
    .set({ owner: null })
    .where("id", "=", sessionId)
    .where("owner", "=", node)
    .where("epoch", "=", epoch)
    .returning("id")
    .execute();
  return released.length > 0;
}
