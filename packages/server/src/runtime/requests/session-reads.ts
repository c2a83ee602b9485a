import { defined } from "../../domain/defined.ts";
import type { Message } from "../../domain/message.ts";
import type { RunStatus } from "../../domain/run.ts";
import type { MessageFormat, Repo, Run, RunSuspension, Store } from "../../storage/store.ts";
import { messagePages, type MessagesUntil } from "../message-pages.ts";
import type { Reply } from "../reply.ts";
import { decisionsOn, type ToolDecision } from "./tool-decisions.ts";
import { withSession, type SessionSnapshot } from "../session-snapshot.ts";

export interface WholeSession extends AroundMessages {
  readonly messages: readonly Message[];
}

export interface ReadSession {
  readonly sessionId: string;
  /** Only so many messages, the last ones, with all that can still change. */
  readonly tail?: number;
  readonly format: MessageFormat;
}

/** The same with the messages as JSON, in parts. */
export interface SessionJson extends AroundMessages {
  readonly messages: readonly Uint8Array[];
  /** Decisions on the tool calls among the messages; absent without `tail`. */
  readonly decisions?: readonly ToolDecision[];
}

interface AroundMessages {
  readonly session: SessionSnapshot;
  readonly repo: Repo | null;
  /** The number of messages before them. */
  readonly earlier: number;
  /** The runs that were taken back. */
  readonly rewoundRuns: ReadonlySet<string>;
  /** A feed opened after this position brings everything that is missing here. */
  readonly feedAfter: number;
}

export interface ReadMessages {
  readonly sessionId: string;
  readonly after?: number;
  readonly since?: number;
  /** The last messages before this number, instead of the first ones. */
  readonly before?: number;
  readonly limit: number;
  readonly format: MessageFormat;
}

export interface MessagePage {
  readonly messages: Uint8Array;
  /** Decisions on the tool calls among them. */
  readonly decisions: readonly ToolDecision[];
  /** Where the next page begins; never beyond a message that can still change. */
  readonly nextAfter: number;
}

export interface ReadRuns {
  readonly sessionId: string;
  readonly statuses?: readonly RunStatus[];
  readonly after?: RunPosition;
  readonly limit: number;
}

export interface RunPosition {
  readonly at: number;
  readonly id: string;
}

export interface RunPage {
  /** In the order of their messages. */
  readonly runs: readonly PastRun[];
  /** Where the next page begins; null on the last page. */
  readonly next: RunPosition | null;
}

export interface PastRun extends Run {
  readonly suspensions: readonly RunSuspension[];
}

/** Suspensions listed per run; the messages of the run show the others. */
export const SUSPENSIONS_SHOWN = 100;

export function readWholeSession(store: Store, sessionId: string): Promise<Reply<WholeSession>> {
  return withSession(store, sessionId, async (session) => {
    const repo = await repoOf(store, session);
    const messages = await store.readMessages({ sessionId });
    const firstOpen = messages.find(({ complete }) => !complete)?.seq ?? null;
    const rewoundRuns = await store.rewoundRuns(sessionId);
    const feedAfter = feedPosition(session, firstOpen);
    return { session, repo, messages, earlier: 0, rewoundRuns, feedAfter };
  });
}

export function readSessionJson(
  store: Store,
  { sessionId, tail, format }: ReadSession,
): Promise<Reply<SessionJson>> {
  return withSession(store, sessionId, async (session) => {
    const repo = await repoOf(store, session);
    const { lastSeq } = session;
    const { firstOpen, ...read } =
      tail === undefined
        ? await allMessages(store, { sessionId, lastSeq, format })
        : await lastMessages(store, { sessionId, limit: tail, format });
    const rewoundRuns = await store.rewoundRuns(sessionId);
    return { session, repo, ...read, rewoundRuns, feedAfter: feedPosition(session, firstOpen) };
  });
}

async function repoOf(store: Store, { repoId }: SessionSnapshot): Promise<Repo | null> {
  return repoId === null ? null : store.readRepo(repoId);
}

/** The feed sends an incomplete message again as a whole, so that no piece of it is added twice. */
function feedPosition({ lastSeq }: SessionSnapshot, firstOpen: number | null): number {
  return Math.min(lastSeq, (firstOpen ?? Infinity) - 1);
}

async function allMessages(store: Store, query: MessagesUntil) {
  const messages: Uint8Array[] = [];
  let firstOpen: number | null = null;
  for await (const page of messagePages(store, query)) {
    messages.push(page.json);
    firstOpen ??= page.firstOpen;
  }
  return { messages, earlier: 0, firstOpen };
}

async function lastMessages(
  store: Store,
  query: { readonly sessionId: string; readonly limit: number; readonly format: MessageFormat },
) {
  const { sessionId } = query;
  const { json, first, firstOpen, calls } = await store.readMessageJson({ ...query, part: "last" });
  const earlier = first === null ? 0 : await store.countMessages({ sessionId, before: first });
  const decisions = await decisionsOn(store, sessionId, calls);
  return { messages: first === null ? [] : [json], earlier, firstOpen, decisions };
}

export function readMessages(store: Store, query: ReadMessages): Promise<Reply<MessagePage>> {
  return withSession(store, query.sessionId, async () => {
    const { sessionId, limit, after = -1, before, since, format } = query;
    const page = await store.readMessageJson(
      before === undefined
        ? { sessionId, part: "first", after, limit, format, ...defined({ since }) }
        : { sessionId, part: "last", before, limit, format },
    );
    const decisions = await decisionsOn(store, sessionId, page.calls);
    const nextAfter =
      page.firstOpen === null ? (page.last ?? query.after ?? 0) : page.firstOpen - 1;
    return { messages: page.json, decisions, nextAfter };
  });
}

export function readRuns(
  store: Store,
  { sessionId, statuses, after, limit }: ReadRuns,
): Promise<Reply<RunPage>> {
  return withSession(store, sessionId, async () => {
    const rows = await store.readRuns(sessionId, defined({ limit: limit + 1, after, statuses }));
    const page = rows.slice(0, limit);
    const runIds = page.map(({ id }) => id);
    const suspensions = Map.groupBy(
      await store.readRunSuspensions({ sessionId, runIds, perRun: SUSPENSIONS_SHOWN }),
      ({ runId }) => runId,
    );
    const runs = page.map((run): PastRun => ({
      ...run,
      suspensions: suspensions.get(run.id) ?? [],
    }));
    const last = page.at(-1);
    const hasNext = rows.length > limit && last !== undefined;
    return { runs, next: hasNext ? { at: last.queuedAt, id: last.id } : null };
  });
}
