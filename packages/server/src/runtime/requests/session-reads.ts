import { defined } from "../../domain/defined.ts";
import type { Message } from "../../domain/message.ts";
import type { RunStatus } from "../../domain/run.ts";
import type { Repo, Run, RunSuspension, Store } from "../../storage/store.ts";
import type { Reply } from "../reply.ts";
import { decisionsAmong, type ToolDecision } from "./tool-decisions.ts";
import { withSession, type SessionSnapshot } from "../session-snapshot.ts";

export interface WholeSession {
  readonly session: SessionSnapshot;
  readonly repo: Repo | null;
  readonly messages: readonly Message[];
  /** The number of messages before them. */
  readonly earlier: number;
  /** Decisions on the tool calls among the messages; absent without `tail`. */
  readonly decisions?: readonly ToolDecision[];
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
}

export interface MessagePage {
  readonly messages: readonly Message[];
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

/** `tail`: only so many messages, the last ones. */
export function readWholeSession(
  store: Store,
  sessionId: string,
  { tail }: { readonly tail?: number } = {},
): Promise<Reply<WholeSession>> {
  return withSession(store, sessionId, async (session) => {
    const repo = session.repoId === null ? null : await store.readRepo(session.repoId);
    const { messages, earlier } =
      tail === undefined
        ? { messages: await store.readMessages({ sessionId }), earlier: 0 }
        : await store.readNewest({ sessionId, limit: tail });
    const rewoundRuns = await store.rewoundRuns(sessionId);
    const decisions =
      tail === undefined ? undefined : await decisionsAmong(store, sessionId, messages);
    // The feed sends an incomplete message again as a whole, so that no piece of it is added twice.
    const feedAfter = Math.min(session.lastSeq, beforeIncomplete(messages) ?? Infinity);
    const whole = { session, repo, messages, earlier, rewoundRuns, feedAfter };
    return { ...whole, ...defined({ decisions }) };
  });
}

export function readMessages(store: Store, query: ReadMessages): Promise<Reply<MessagePage>> {
  return withSession(store, query.sessionId, async () => {
    const { before, sessionId, limit } = query;
    const messages =
      before === undefined
        ? await store.readMessages(query)
        : (await store.readNewest({ sessionId, before, limit })).messages;
    const last = messages.at(-1)?.seq ?? query.after ?? 0;
    const decisions = await decisionsAmong(store, sessionId, messages);
    return { messages, decisions, nextAfter: beforeIncomplete(messages) ?? last };
  });
}

function beforeIncomplete(messages: readonly Message[]): number | null {
  const incomplete = messages.find(({ complete }) => !complete);
  return incomplete === undefined ? null : incomplete.seq - 1;
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
