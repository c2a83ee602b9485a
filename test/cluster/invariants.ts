import { isDeepStrictEqual } from "node:util";
import type { Evidence, StoredSession, Fault } from "./history.ts";
import { viewViolations } from "./view-invariants.ts";

export const INVARIANTS = [
  "every acknowledged message exists once",
  "the order is that of acknowledgement",
  "a message is given at most once per recorded attempt",
  "at most one runner per session",
  "a node that has lost a session writes nothing to it",
  "every client sees each number once, rising, and misses nothing",
  "every run has exactly one end, and nothing after it",
  "the log folds to the row",
  "every session comes to rest",
  "no request hangs",
] as const;
export type Invariant = (typeof INVARIANTS)[number];

export interface Violation {
  readonly invariant: Invariant;
  readonly sessionId: string | null;
  readonly detail: string;
}

/** An agent has this long to be gone once its node knows that it must. */
const ENDED_WITHIN_MS = 5_000;
/** No request may take longer, whatever the database does; the rest is for a busy machine. */
const ANSWERED_WITHIN_MS = 11_000;

/** Everything in the recorded history that must not be. */
export function violationsIn(evidence: Evidence): readonly Violation[] {
  const ofSessions = evidence.stored.sessions.flatMap((session) => [
    ...acknowledgedOnce(evidence, session),
    ...inOrder(evidence, session),
    ...givenOnce(evidence, session),
    ...oneRunner(evidence, session),
    ...nothingLate(evidence, session),
    ...viewViolations(evidence, session),
    ...oneEnd(session),
    ...folds(session),
    ...atRest(session),
  ]);
  return [...ofSessions, ...nothingHangs(evidence)];
}

function tagIn(text: string): string | null {
  return /^#(\S+)$/mu.exec(text)?.[1] ?? null;
}

function acknowledgedOnce({ history }: Evidence, session: StoredSession): readonly Violation[] {
  const users = session.messages.filter(({ author }) => author === "user");
  const lost = history.requests.flatMap(({ kind, sessionId, tag, outcome }) => {
    if (kind !== "send" || sessionId !== session.id || !outcome.ok) return [];
    const found = users.filter(({ id }) => id === outcome.messageId).length;
    return found === 1 ? [] : [`${tag} (${outcome.messageId}) is there ${found} times`];
  });
  const tags = users.flatMap(({ text }) => tagIn(text) ?? []);
  const doubled = tags.filter((tag, index) => tags.indexOf(tag) !== index);
  return violations("every acknowledged message exists once", session, [
    ...lost,
    ...doubled.map((tag) => `${tag} was stored twice`),
  ]);
}

/** What was acknowledged before something else was asked for the first time comes before it. */
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
      wrong.push(`${request.tag} was acknowledged before ${latest.tag} was asked, and comes after`);
    }
    if (request.firstAt > latest.firstAt) latest = request;
  }
  return violations("the order is that of acknowledgement", session, wrong);
}

function givenOnce({ account }: Evidence, session: StoredSession): readonly Violation[] {
  const attempts = new Map(session.runs.map((run) => [run.messageId, run.attempts]));
  const known = new Map(
    session.messages.flatMap(({ id, author, text }) => {
      const tag = author === "user" ? tagIn(text) : null;
      return tag === null ? [] : [[tag, attempts.get(id) ?? 0] as const];
    }),
  );
  const given = new Map<string, number>();
  for (const { repo, event, tag } of account) {
    if (repo !== session.repo || event !== "prompt" || typeof tag !== "string") continue;
    given.set(tag, (given.get(tag) ?? 0) + 1);
  }
  const wrong = [...given].flatMap(([tag, times]) => {
    const recorded = known.get(tag);
    if (recorded === undefined) return [`an agent was given ${tag}, which is not stored`];
    return times <= recorded ? [] : [`${tag} was given ${times} times in ${recorded} attempts`];
  });
  return violations("a message is given at most once per recorded attempt", session, wrong);
}

/**
 * Two agents of one session may live at once only while the older one's node cannot end it: it stands
 * still, or it is dead and its agent has not noticed yet.
 */
function oneRunner({ account, history }: Evidence, session: StoredSession): readonly Violation[] {
  const wrong = account.flatMap(({ repo, event, at, node, pid, tag, others = [] }) => {
    if (repo !== session.repo || event !== "prompt") return [];
    return others
      .filter((other) => !isExcused(history.faults, { node: other.node, at, ...history }))
      .map(
        (other) =>
          `agent ${pid} of ${node} was given ${tag ?? "something"} while agent ${other.pid} of ${other.node} lived`,
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
    if (at < fault.from) return false;
    switch (fault.kind) {
      case "pause":
        return at <= fault.to + ENDED_WITHIN_MS;
      case "kill":
        return at <= fault.from + ENDED_WITHIN_MS;
      // From then on the node knows that its lease is over.
      case "blackhole":
      case "hold":
      case "refuse":
      case "database":
      case "delay":
        return at <= fault.from + leaseMs + ENDED_WITHIN_MS;
      case "cut":
      case "stop":
        return false;
      default:
        return fault.kind satisfies never;
    }
  });
}

/** Only the agent of the node that lost the session used tools there. */
function nothingLate({ history }: Evidence, session: StoredSession): readonly Violation[] {
  const wrong = history.handovers
    .filter(({ sessionId }) => sessionId === session.id)
    .flatMap(({ from, lastSeq }) =>
      session.final.messages
        .filter(({ seq, content }) => seq > lastSeq && content.type === "tool")
        .map(({ seq }) => `node ${from} had lost it at ${lastSeq} and wrote at ${seq}`),
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
    if (end === undefined || ends.length > 1)
      return [`run ${run.id} has ended ${ends.length} times`];
    const later = session.log.filter(
      ({ seq, messageId }) =>
        seq > end.seq && messageId !== null && runOf.get(messageId) === run.id,
    );
    return later.map(({ seq }) => `run ${run.id} ended at ${end.seq} and wrote at ${seq}`);
  });
  return violations("every run has exactly one end, and nothing after it", session, wrong);
}

function folds(session: StoredSession): readonly Violation[] {
  const numbers = session.log.map(({ seq }) => seq);
  const wrong = [
    ...(session.difference === null ? [] : [session.difference]),
    ...((numbers.at(-1) ?? 0) > session.lastSeq
      ? [`the log goes to ${numbers.at(-1)}, the row to ${session.lastSeq}`]
      : []),
    ...(isDeepStrictEqual(numbers, [...new Set(numbers)]) ? [] : ["a number was given twice"]),
  ];
  return violations("the log folds to the row", session, wrong);
}

function atRest(session: StoredSession): readonly Violation[] {
  const { state, queued, messages } = session.final;
  const open = messages.filter(({ complete }) => !complete);
  return violations("every session comes to rest", session, [
    ...(state === "running" ? ["it is still running"] : []),
    ...(state === "idle" && queued > 0 ? [`${queued} messages wait and nobody works`] : []),
    ...(state === "running" ? [] : open.map(({ id }) => `message ${id} was never completed`)),
  ]);
}

function nothingHangs({ history }: Evidence): readonly Violation[] {
  return history.requests.flatMap(({ kind, sessionId, tag, node, sentAt, endedAt }) => {
    const tookMs = endedAt - sentAt;
    const stoodStill = history.faults.some(
      (fault) =>
        fault.kind === "pause" && fault.node === node && fault.from < endedAt && fault.to > sentAt,
    );
    if (tookMs <= ANSWERED_WITHIN_MS || stoodStill) return [];
    const detail = `${kind} ${tag ?? ""} took node ${node} ${tookMs} ms`;
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
