import type { Store } from "../../storage/store.ts";
import { noSuchSession, type Refused, type Reply } from "../reply.ts";
import type { MessagePage, ReadMessages, WholeSession } from "../runtime.ts";
import { type SessionSnapshot, snapshotOf } from "../session-snapshot.ts";

export async function readSession(
  store: Store,
  sessionId: string,
): Promise<Reply<{ readonly session: SessionSnapshot }>> {
  const session = await snapshotOf(store, sessionId);
  return session === null ? noSuchSession() : { ok: true, session };
}

export async function readWholeSession(
  store: Store,
  sessionId: string,
): Promise<Reply<WholeSession>> {
  const session = await snapshotOf(store, sessionId);
  if (session === null) return noSuchSession();
  const repo = session.repoId === null ? null : await store.readRepo(session.repoId);
  const messages = await store.readMessages({ sessionId });
  // A message that still grows is sent again whole by the feed, so that its pieces are not added twice.
  const growing = messages.find(({ complete }) => !complete);
  const feedAfter = Math.min(session.lastSeq, growing === undefined ? Infinity : growing.seq - 1);
  return { ok: true, session, repo, messages, feedAfter };
}

export async function readMessages(
  store: Store,
  query: ReadMessages,
): Promise<({ readonly ok: true } & MessagePage) | Refused> {
  if ((await snapshotOf(store, query.sessionId)) === null) return noSuchSession();
  const messages = await store.readMessages(query);
  const growing = messages.find(({ complete }) => !complete);
  const last = messages.at(-1)?.seq ?? query.after ?? 0;
  return { ok: true, messages, nextAfter: growing === undefined ? last : growing.seq - 1 };
}
