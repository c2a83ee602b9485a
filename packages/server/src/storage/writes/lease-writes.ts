import type { Queryable } from "../dialect.ts";
import { prepared } from "../prepared.ts";
import { hasLiveOwner } from "../reads/live-owner.ts";
import type { Claim, Fence, Lease, NodeStore } from "../ports/node-store.ts";
import type { Transaction } from "./transaction.ts";

/** One row per node: the cost does not depend on the number of its sessions. */
export async function renewLease(
  transaction: Transaction,
  { node, ttlMs, about }: Lease,
): Promise<boolean> {
  const [lease] = await validityOf(transaction, { node });
  await (about === undefined
    ? extendLease(transaction, { node, ttlMs })
    : describeLease(transaction, { node, ttlMs, about: JSON.stringify(about) }));
  return lease === undefined || Boolean(lease.alive);
}

const validityOf = prepared(({ db, dialect }, { node }: { node: string }) =>
  db
    .selectFrom("NodeLease")
    .select(({ eb }) => eb("expiresAt", ">", dialect.now).as("alive"))
    .where("node", "=", node),
);

const extendLease = prepared((at, { node, ttlMs }: { node: string; ttlMs: number }) =>
  putLease(at, node, ttlMs, {}),
);

const describeLease = prepared(
  (at, { node, ttlMs, about }: { node: string; ttlMs: number; about: string }) =>
    putLease(at, node, ttlMs, { about }),
);

function putLease(
  { db, dialect: { now } }: Queryable,
  node: string,
  ttlMs: number,
  description: { readonly about?: string },
) {
  return db
    .insertInto("NodeLease")
    .values(({ eb }) => ({
      node,
      startedAt: now,
      expiresAt: eb(now, "+", ttlMs),
      draining: 0,
      ...description,
    }))
    .onConflict((conflict) =>
      conflict
        .column("node")
        .doUpdateSet(({ eb }) => ({ expiresAt: eb(now, "+", ttlMs), ...description })),
    );
}

/** The node has stopped: its sessions are free at once. */
export async function dropLease({ db }: Transaction, node: string): Promise<void> {
  await db.deleteFrom("NodeLease").where("node", "=", node).execute();
}

/** False when no such node exists. */
export async function drainNode(
  { db }: Transaction,
  { node, draining }: { node: string; draining: boolean },
): Promise<boolean> {
  const nodes = await db
    .updateTable("NodeLease")
    .set({ draining: draining ? 1 : 0 })
    .where("node", "=", node)
    .where("about", "is not", null)
    .returning("node")
    .execute();
  return nodes.length > 0;
}

/** Removes nodes that died long ago. They own nothing any more. */
export async function forgetNodes(
  transaction: Transaction,
  { deadForMs }: { deadForMs: number },
): Promise<void> {
  const { db } = transaction;
  await db
    .deleteFrom("NodeLease")
    .where("about", "is not", null)
    .where(({ eb }) => eb("expiresAt", "<", eb(transaction.dialect.now, "-", deadForMs)))
    .execute();
}

export async function dropOtherLeases({ db }: Transaction, node: string): Promise<void> {
  await db.deleteFrom("NodeLease").where("node", "!=", node).execute();
}

type ClaimRequest = Parameters<NodeStore["claim"]>[0];

/** One compare-and-set: if two nodes want a free session, one gets it, with a new epoch. */
export async function claimSession(
  transaction: Transaction,
  { sessionId, node, from, limit }: ClaimRequest,
): Promise<Claim> {
  const { db } = transaction;
  if (limit !== undefined && limit !== null && (await isFull(transaction, { sessionId, limit }))) {
    return { ok: false, owner: null, isFull: true };
  }
  const claim = await db
    .updateTable("AgentSession")
    .set(({ eb }) => ({ owner: node, epoch: eb("epoch", "+", 1) }))
    .where("id", "=", sessionId)
    .where(({ eb, or, not }) =>
      or([
        eb("owner", "is", null),
        not(hasLiveOwner(transaction.dialect)),
        ...(from === undefined || from === null ? [] : [eb("owner", "=", from)]),
      ]),
    )
    .returning("epoch")
    .executeTakeFirst();
  if (claim !== undefined) return { ok: true, epoch: claim.epoch };
  const session = await db
    .selectFrom("AgentSession")
    .select(["owner", "epoch"])
    .where("id", "=", sessionId)
    .executeTakeFirst();
  if (session?.owner === node) return { ok: true, epoch: session.epoch };
  return { ok: false, owner: session?.owner ?? null };
}

/** Whether nodes own `limit` other sessions already. Counted claims are serialized. */
async function isFull(
  transaction: Transaction,
  { sessionId, limit }: { sessionId: string; limit: number },
): Promise<boolean> {
  const { db, dialect } = transaction;
  await dialect.lockClaims(db);
  const { owned } = await db
    .selectFrom("AgentSession")
    .innerJoin("NodeLease", "NodeLease.node", "AgentSession.owner")
    .select(({ fn }) => fn.countAll<number>().as("owned"))
    .where("NodeLease.about", "is not", null)
    .where("NodeLease.expiresAt", ">", transaction.dialect.now)
    .where("AgentSession.id", "!=", sessionId)
    .executeTakeFirstOrThrow();
  return owned >= limit;
}

export async function releaseSession(
  { db }: Transaction,
  { sessionId, node, epoch }: { sessionId: string } & Fence,
): Promise<boolean> {
  const sessions = await db
    .updateTable("AgentSession")
    .set({ owner: null })
    .where("id", "=", sessionId)
    .where("owner", "=", node)
    .where("epoch", "=", epoch)
    .returning("id")
    .execute();
  return sessions.length > 0;
}
