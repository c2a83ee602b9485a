import { isDeepStrictEqual } from "node:util";
import type { Evidence, StoredSession, Fault } from "./history.ts";
import { linearizationError } from "../linearizability/linearizable-requests.ts";
import { viewViolations } from "./view-invariants.ts";

export const INVARIANTS = [
  "every acknowledged message exists once",
  "messages are stored in the order of acknowledgement",
  "one order of the requests explains their replies",
  "an agent gets a message at most once per recorded attempt",
  "at most one runner per session",
  "a node that has lost a session writes nothing to it",
  "every client sees each sequence number once, in order, without gaps",
  "every run ends exactly once, and writes nothing afterwards",
  "the replayed log equals the row",
  "every session settles",
  "no request hangs",
] as const;
export type Invariant = (typeof INVARIANTS)[number];

export interface Violation {
  readonly invariant: Invariant;
  readonly sessionId: string | null;
  readonly detail: string;
}

/** An agent must exit within this time after its node knows that it must stop. */
const ENDED_WITHIN_MS = 5_000;
/** No request may take longer, whatever the database does. */
const ANSWERED_WITHIN_MS = 11_000;

/** All violations of the invariants in the recorded history. */
export function violationsIn(evidence: Evidence): readonly Violation[] {
  const inSessions = evidence.stored.sessions.flatMap((session) => [
    ...repliesAreRight(evidence, session),
    ...promptedOnce(evidence, session),
    ...oneRunner(evidence, session),
    ...nothingLate(evidence, session),
    ...viewViolations(evidence, session),
    ...oneEnd(session),
    ...folds(session),
    ...atRest(session),
  ]);
  return [...inSessions, ...nothingHangs(evidence)];
}

/** The simple checks say more about what is wrong. The search for an order finds what they do not see. */
function repliesAreRight(evidence: Evidence, session: StoredSession): readonly Violation[] {
  const simple = [...acknowledgedOnce(evidence, session), ...inOrder(evidence, session)];
  if (simple.length > 0) return simple;
  const error = linearizationError(evidence, session);
  const details = error === null ? [] : [error];
  return violations("one order of the requests explains their replies", session, details);
}

function tagIn(text: string): string | null {
  return /^#(\S+)$/mu.exec(text)?.[1] ?? null;
}

function acknowledgedOnce({ history }: Evidence, session: StoredSession): readonly Violation[] {
  const users = session.messages.filter(({ author }) => author === "user");
  const lost = history.requests.flatMap(({ kind, sessionId, tag, outcome }) => {
    if (kind !== "send" || sessionId !== session.id || !outcome.ok) return [];
    const times = users.filter(({ id }) => id === outcome.messageId).length;
    return times === 1 ? [] : [`${tag} (${outcome.messageId}) is stored ${times} times`];
  });
  const tags = users.flatMap(({ text }) => tagIn(text) ?? []);
  const duplicates = tags.filter((tag, index) => tags.indexOf(tag) !== index);
  return violations("every acknowledged message exists once", session, [
    ...lost,
    ...duplicates.map((tag) => `${tag} was stored twice`),
  ]);
}

/** A message that was acknowledged before another was first sent must be stored before it. */
function inOrder({ history }: Evidence, session: StoredSession): readonly Violation[] {
  const acknowledged = new Map(
    history.requests.flatMap((request) =>
      request.kind === "send" && request.sessionId === session.id && request.outcome.ok
        ? [[request.outcome.messageId, request] as const]
        : [],
    ),
  );
  const wrong: string[] = [];
  let latest: { firstAt: number; tag: string | null } = { firstAt: 0, tag: null };
  for (const { id, author } of session.messages) {
    const request = author === "user" ? acknowledged.get(id) : undefined;
    if (request === undefined) continue;
    if (request.endedAt < latest.firstAt) {
      wrong.push(
        `${request.tag} was acknowledged before ${latest.tag} was sent, and is stored after it`,
      );
    }
    if (request.firstAt > latest.firstAt) latest = request;
  }
  return violations("messages are stored in the order of acknowledgement", session, wrong);
}

function promptedOnce({ account }: Evidence, session: StoredSession): readonly Violation[] {
  const attempts = new Map(session.runs.map((run) => [run.messageId, run.attempts]));
  const attemptsByTag = new Map(
    session.messages.flatMap(({ id, author, text }) => {
      const tag = author === "user" ? tagIn(text) : null;
      return tag === null ? [] : [[tag, attempts.get(id) ?? 0] as const];
    }),
  );
  const prompts = new Map<string, number>();
  for (const { repo, event, tag } of account) {
    if (repo !== session.repo || event !== "prompt" || typeof tag !== "string") continue;
    prompts.set(tag, (prompts.get(tag) ?? 0) + 1);
  }
  const wrong = [...prompts].flatMap(([tag, times]) => {
    const recorded = attemptsByTag.get(tag);
    if (recorded === undefined) return [`an agent got ${tag}, which is not stored`];
    return times <= recorded ? [] : [`agents got ${tag} ${times} times in ${recorded} attempts`];
  });
  return violations("an agent gets a message at most once per recorded attempt", session, wrong);
}

/**
 * Two agents of one session may be alive at once only while the node of the older one cannot stop it: the node is
 * paused, or it is dead and its agent has not noticed yet.
 */
function oneRunner({ account, history }: Evidence, session: StoredSession): readonly Violation[] {
  const wrong = account.flatMap(({ repo, event, calmAt: at, node, pid, tag, others = [] }) => {
    if (repo !== session.repo || event !== "prompt") return [];
    return others
      .filter((other) => !isExcused(history.faults, { node: other.node, at, ...history }))
      .map(
        (other) =>
          `agent ${pid} of ${node} got ${tag ?? "a message"} while agent ${other.pid} of ${other.node} was alive`,
      );
  });
  return violations("at most one runner per session", session, wrong);
}

function isExcused(
  faults: readonly Fault[],
  { node, at, leaseMs }: { readonly node: string; readonly at: number; readonly leaseMs: number },
): boolean {
  return faults.some((fault) => {
    if (fault.node !== node && fault.node !== null) return false;
    if (at < fault.calmFrom) return false;
    switch (fault.kind) {
      case "pause":
        return at <= fault.calmTo + ENDED_WITHIN_MS;
      case "kill":
        return at <= fault.calmFrom + ENDED_WITHIN_MS;
      // By then the node knows that its lease has expired.
      case "blackhole":
      case "hold":
      case "refuse":
      case "database":
      case "delay":
        return at <= fault.calmFrom + leaseMs + ENDED_WITHIN_MS;
      case "cut":
      case "stop":
        return false;
      default:
        return fault.kind satisfies never;
    }
  });
}

/** In such a session only the agent of the previous owner uses tools. */
function nothingLate({ history }: Evidence, session: StoredSession): readonly Violation[] {
  const wrong = history.handovers
    .filter(({ sessionId }) => sessionId === session.id)
    .flatMap(({ from, lastSeq }) =>
      session.final.messages
        .filter(({ seq, content }) => seq > lastSeq && content.type === "tool")
        .map(({ seq }) => `node ${from} lost the session at ${lastSeq} and wrote at ${seq}`),
    );
  return violations("a node that has lost a session writes nothing to it", session, wrong);
}

const ENDS = new Set(["completed", "failed", "cancelled", "interrupted"]);

function oneEnd(session: StoredSession): readonly Violation[] {
  const runOf = new Map(
    session.messages.flatMap(({ id, author, runId }) =>
      author === "agent" && runId !== null ? [[id, runId] as const] : [],
    ),
  );
  const wrong = session.runs.flatMap((run): string[] => {
    const ends = session.log.filter(({ type, runId }) => type === "run.ended" && runId === run.id);
    const [end] = ends;
    if (!ENDS.has(run.status)) return [`run ${run.id} is ${run.status}`];
    if (end === undefined || ends.length > 1) return [`run ${run.id} ended ${ends.length} times`];
    const later = session.log.filter(
      ({ seq, messageId }) =>
        seq > end.seq && messageId !== null && runOf.get(messageId) === run.id,
    );
    return later.map(({ seq }) => `run ${run.id} ended at ${end.seq} and wrote at ${seq}`);
  });
  return violations("every run ends exactly once, and writes nothing afterwards", session, wrong);
}

function folds(session: StoredSession): readonly Violation[] {
  const numbers = session.log.map(({ seq }) => seq);
  const wrong = [
    ...(session.difference === null ? [] : [session.difference]),
    ...((numbers.at(-1) ?? 0) > session.lastSeq
      ? [`the log ends at ${numbers.at(-1)}, the row at ${session.lastSeq}`]
      : []),
    ...(isDeepStrictEqual(numbers, [...new Set(numbers)])
      ? []
      : ["a sequence number was used twice"]),
  ];
  return violations("the replayed log equals the row", session, wrong);
}

function atRest(session: StoredSession): readonly Violation[] {
  const { state, queued, messages } = session.final;
  const open = messages.filter(({ complete }) => !complete);
  return violations("every session settles", session, [
    ...(state === "running" ? ["the session is still running"] : []),
    ...(state === "idle" && queued > 0
      ? [`${queued} messages are queued and no run is active`]
      : []),
    ...(state === "running" ? [] : open.map(({ id }) => `message ${id} was never completed`)),
  ]);
}

function nothingHangs({ history }: Evidence): readonly Violation[] {
  return history.requests.flatMap(({ kind, sessionId, tag, node, sentAt, endedAt, tookMs }) => {
    const wasPaused = history.faults.some(
      (fault) =>
        fault.kind === "pause" && fault.node === node && fault.from < endedAt && fault.to > sentAt,
    );
    if (tookMs <= ANSWERED_WITHIN_MS || wasPaused) return [];
    const detail = `${kind} ${tag ?? ""} took node ${node} ${Math.round(tookMs)} ms`;
    return [{ invariant: "no request hangs" as const, sessionId, detail }];
  });
}

function violations(
  invariant: Invariant,
  { id }: StoredSession,
  details: readonly string[],
): readonly Violation[] {
  return details.map((detail) => ({ invariant, sessionId: id, detail }));
}
