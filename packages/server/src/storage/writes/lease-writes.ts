import { runStatement, runWrite } from "../prepared.ts";
import { hasLiveOwner } from "../reads/live-owner.ts";
import type { Claim, Fence, Lease, NodeStore } from "../ports/node-store.ts";
import type { Transaction } from "./transaction.ts";

/** One row per node: the cost does not depend on the number of its sessions. */
export async function renewLease(
  transaction: Transaction,
  { node, ttlMs, about }: Lease,
): Promise<boolean> {
  const { clock } = transaction.dialect;
  const [lease] = await runStatement<{ readonly alive: boolean | number }>(
    transaction,
    `select "expiresAt" > ${clock} as "alive" from "NodeLease" where "node" = ?`,
    [node],
  );
  const described = about === undefined ? null : JSON.stringify(about);
  await runWrite(
    transaction,
    `insert into "NodeLease" ("node", "startedAt", "expiresAt", "draining", "about")
      values (?, ${clock}, ${clock} + ?, 0, ?)
      on conflict ("node") do update set "expiresAt" = ${clock} + ?, "about" = coalesce(?, "NodeLease"."about")`,
    [node, ttlMs, described, ttlMs, described],
  );
  return lease === undefined || Boolean(lease.alive);
}

/** The node has stopped: its sessions are free at once. */
export function dropLease(transaction: Transaction, node: string): Promise<void> {
  return runWrite(transaction, `delete from "NodeLease" where "node" = ?`, [node]);
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

export function dropOtherLeases(transaction: Transaction, node: string): Promise<void> {
  return runWrite(transaction, `delete from "NodeLease" where "node" <> ?`, [node]);
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
