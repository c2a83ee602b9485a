import { isDeepStrictEqual } from "node:util";
import type { SessionEvent } from "../../packages/server/src/domain/kernel/event.ts";
import { evolve } from "../../packages/server/src/domain/kernel/evolve.ts";
import type { Message } from "../../packages/server/src/domain/message.ts";
import type { Session } from "../../packages/server/src/domain/session.ts";
import type {
  LogEntry,
  Run,
  Store,
  StoredSession,
} from "../../packages/server/src/storage/store.ts";
import { unexplainedReplies } from "../linearizability/simulated-requests.ts";
import type { Watch } from "./sim-clients.ts";
import type { World } from "./world.ts";

export const LAWS = [
  "every acknowledged message exists once",
  "messages run in the order of acknowledgement",
  "an agent gets a message at most once per recorded attempt",
  "a steered message reaches one agent once, or its unknown outcome is said",
  "a message that was cut off does not run again",
  "one agent at a time works on a session",
  "an old owner of a session writes nothing",
  "an agent gets an answer once, and the stored one",
  "what an agent said is stored once and in order",
  "a run ends once and writes nothing afterwards",
  "the log and the rows agree",
  "feeds have no gap and no repetition",
  "everything settles",
  "one order of the requests explains their replies",
] as const;
export type Law = (typeof LAWS)[number];

export interface Broken {
  readonly law: Law;
  readonly detail: string;
}

/** What the database holds about one session in the end. */
export interface Final {
  readonly stored: StoredSession;
  readonly log: readonly LogEntry[];
  readonly messages: readonly Message[];
  readonly runs: readonly Run[];
  readonly suspensions: Awaited<ReturnType<Store["readSuspensions"]>>;
}

export async function readFinal(store: Store, sessionId: string): Promise<Final | null> {
  const loaded = await store.load(sessionId);
  if (loaded.found !== "session") return null;
  return {
    stored: loaded.stored,
    log: await store.readEvents({ sessionId, after: 0, limit: 100_000 }),
    messages: await store.readMessages({ sessionId }),
    runs: await store.readRuns(sessionId),
    suspensions: await store.readSuspensions(sessionId),
  };
}

/** All broken laws of a session that still exists. */
export function brokenIn(world: World, final: Final, watches: readonly Watch[]): readonly Broken[] {
  const { id } = final.stored.session;
  const of = (law: Law, details: readonly string[]): readonly Broken[] =>
    details.map((detail) => ({ law, detail: `${id}: ${detail}` }));
  return [
    ...of("every acknowledged message exists once", acknowledged(world, final)),
    ...of("messages run in the order of acknowledgement", inOrder(world, final)),
    ...of("an agent gets a message at most once per recorded attempt", promptedOnce(world, final)),
    ...of(
      "a steered message reaches one agent once, or its unknown outcome is said",
      steeredOnce(world, final),
    ),
    ...of("a message that was cut off does not run again", notRunAgain(final)),
    ...of("one agent at a time works on a session", oneAgent(world, final)),
    ...of("an old owner of a session writes nothing", oldOwners(world, final)),
    ...of("an agent gets an answer once, and the stored one", answeredOnce(world, final)),
    ...of("what an agent said is stored once and in order", saidOnce(world, final)),
    ...of("a run ends once and writes nothing afterwards", endsOnce(final)),
    ...of("the log and the rows agree", replays(final)),
    ...of("feeds have no gap and no repetition", watched(final, watches)),
  ];
}

/** All requests to a session, also to one that was deleted. */
export function unexplained(world: World, sessionId: string): readonly Broken[] {
  const error = unexplainedReplies(world, sessionId);
  if (error === null) return [];
  const law = "one order of the requests explains their replies";
  return [{ law, detail: `${sessionId}: ${error}` }];
}

/** Empty if it has no text. */
export function textOf({ content }: Pick<Message, "content">): string {
  const { text } = content;
  return typeof text === "string" ? text : "";
}

function tagOf(message: Message): string | null {
  return message.role === "user" ? (/^do it\n#(\S+)$/u.exec(textOf(message))?.[1] ?? null) : null;
}

function acknowledged({ requests }: World, { messages, stored, log }: Final): readonly string[] {
  const tags = messages.flatMap((message) => tagOf(message) ?? []);
  const withdrawn = new Set(
    eventsOf(log).flatMap((event) => (event.type === "message.withdrawn" ? event.messageId : [])),
  );
  const ids = new Set([
    ...messages.map(({ id }) => id),
    ...stored.session.queue.map(({ messageId }) => messageId),
  ]);
  const lost = requests.flatMap(({ kind, sessionId, tag, outcome }) => {
    if (kind !== "send" || sessionId !== stored.session.id || !outcome.ok) return [];
    const { messageId } = outcome;
    if (messageId === null) return [`${tag} was acknowledged without an id`];
    const isThere = ids.has(messageId) || withdrawn.has(messageId);
    return isThere ? [] : [`${tag} was acknowledged and is not stored`];
  });
  const twice = tags.filter((tag, index) => tags.indexOf(tag) !== index);
  return [...lost, ...twice.map((tag) => `${tag} is stored twice`)];
}

/** A message that was acknowledged before another was sent starts before it, unless that one interrupts. */
function inOrder({ requests }: World, { stored, log }: Final): readonly string[] {
  const startedAt = new Map<string, number>();
  for (const { seq, ...entry } of log) {
    if (entry.kind !== "event" || entry.event.type !== "run.started") continue;
    const { messageId } = entry.event.run;
    if (!startedAt.has(messageId)) startedAt.set(messageId, seq);
  }
  const sent = requests.filter(
    ({ kind, sessionId, outcome }) =>
      kind === "send" && sessionId === stored.session.id && outcome.ok,
  );
  const startOf = ({ outcome }: (typeof sent)[number]): number | undefined =>
    outcome.ok && outcome.messageId !== null ? startedAt.get(outcome.messageId) : undefined;
  return sent.flatMap((later) => {
    const laterStart = startOf(later);
    if (later.delivery === "interrupt" || laterStart === undefined) return [];
    return sent.flatMap((earlier) => {
      const start = startOf(earlier);
      if (earlier.endedAt >= later.firstAt || start === undefined || start < laterStart) return [];
      return [`${later.tag} started before ${earlier.tag}, which was acknowledged earlier`];
    });
  });
}

function promptedOnce({ prompts }: World, { stored, messages, runs }: Final): readonly string[] {
  const attempts = new Map(runs.map((run) => [run.messageId, run.attempts]));
  const idOf = new Map(
    messages.flatMap((each) => {
      const tag = tagOf(each);
      return tag === null ? [] : [[tag, each.id] as const];
    }),
  );
  const times = new Map<string, number>();
  for (const { sessionId, tag } of prompts) {
    if (sessionId === stored.session.id && tag !== null) times.set(tag, (times.get(tag) ?? 0) + 1);
  }
  return [...times].flatMap(([tag, got]) => {
    const recorded = attempts.get(idOf.get(tag) ?? "");
    if (recorded === undefined) return [`an agent got ${tag}, which has no run`];
    return got <= recorded ? [] : [`agents got ${tag} ${got} times in ${recorded} attempts`];
  });
}

function steeredOnce({ steered, prompts }: World, { stored, messages }: Final): readonly string[] {
  const { id } = stored.session;
  const timesIn = (records: readonly { sessionId: string; tag: string | null }[], tag: string) =>
    records.filter((each) => each.sessionId === id && each.tag === tag).length;
  const known = messages.flatMap((message) => {
    const tag = tagOf(message);
    return tag === null ? [] : [{ tag, message }];
  });
  return known.flatMap(({ tag, message: { content } }) => {
    const taken = timesIn(steered, tag);
    const isSaid = content["injected"] === true || content["steering"] === "unknown";
    if (taken > 1) return [`agents took ${tag} ${taken} times`];
    if (content["injected"] === true && taken === 0) return [`no agent took ${tag}`];
    if (taken === 1 && !isSaid) return [`an agent took ${tag}, and the transcript does not say so`];
    return isSaid && timesIn(prompts, tag) > 0 ? [`${tag} was given again`] : [];
  });
}

/**
 * Each further hand-over of a run has a recorded reason: a retry, or an answer. A run returns to the queue only if no agent
 * got it, so its last hand-over does not count.
 */
function notRunAgain({ log }: Final): readonly string[] {
  const wrong: string[] = [];
  const isOpen = new Map<string, boolean>();
  const attempts = new Map<string, number>();
  for (const event of eventsOf(log)) {
    if (event.type === "run.started") {
      isOpen.set(event.run.id, !event.run.handed);
      attempts.set(event.run.id, event.run.attempts);
    }
    if (event.type === "run.retried" || event.type === "run.resumed") isOpen.set(event.runId, true);
    if (event.type === "run.requeued") {
      const { runId } = event.entry;
      const counted = (attempts.get(runId) ?? 0) - (isOpen.get(runId) === true ? 0 : 1);
      if (event.entry.attempts !== counted) wrong.push(`run ${runId} was queued again`);
      isOpen.delete(runId);
    }
    if (event.type === "suspension.closed") for (const id of isOpen.keys()) isOpen.set(id, true);
    if (event.type === "run.ended") isOpen.delete(event.runId);
    if (event.type !== "run.handed") continue;
    if (isOpen.get(event.runId) !== true) wrong.push(`run ${event.runId} was handed over again`);
    isOpen.set(event.runId, false);
    attempts.set(event.runId, (attempts.get(event.runId) ?? 0) + 1);
  }
  return wrong;
}

function oneAgent({ prompts }: World, { stored }: Final): readonly string[] {
  return prompts
    .filter(({ sessionId, others }) => sessionId === stored.session.id && others.length > 0)
    .map(({ agent, tag, others }) => `agent ${agent} got ${tag} beside agent ${others.join(", ")}`);
}

function oldOwners(world: World, { stored }: Final): readonly string[] {
  return world.oldOwners
    .filter(({ sessionId }) => sessionId === stored.session.id)
    .map(({ detail }) => detail);
}

function answeredOnce({ asked }: World, { stored, suspensions }: Final): readonly string[] {
  return asked.flatMap(({ sessionId, requestId, told }) => {
    if (sessionId !== stored.session.id) return [];
    if (told.length > 1) return [`${requestId} was answered with ${told.join(" and ")}`];
    const suspension = suspensions.find(({ request }) => request["title"] === requestId);
    const [answer] = told;
    if (answer === undefined || answer === "cancelled") return [];
    if (suspension?.status !== "answered") return [`${requestId} was told ${answer} by nobody`];
    const expected = JSON.stringify(suspension.answer);
    return expected.includes(answer) ? [] : [`${requestId} was told ${answer}, not ${expected}`];
  });
}

/** In a run with one prompt that ended by itself, all words are there; in others, none is there twice or in another order. */
function saidOnce({ prompts }: World, { stored, messages, runs }: Final): readonly string[] {
  return runs.flatMap((run) => {
    const message = messages.find(({ id }) => id === run.messageId);
    const tag = message === undefined ? null : tagOf(message);
    if (tag === null) return [];
    const told = prompts.filter((each) => each.sessionId === stored.session.id && each.tag === tag);
    const [only] = told;
    if (told.length !== 1 || only === undefined || run.attempts !== 1) return [];
    const text = messages
      .filter(({ runId, role }) => runId === run.id && role === "agent")
      .map(textOf)
      .join("");
    const isRight =
      only.isComplete && run.status === "completed"
        ? text === only.said
        : only.said.startsWith(text);
    return isRight ? [] : [`for ${tag} the agent said ${only.said}, and ${text} is stored`];
  });
}

function endsOnce({ log, runs, messages }: Final): readonly string[] {
  const runOf = new Map(
    messages.flatMap(({ id, runId, role }) => (role === "agent" ? [[id, runId] as const] : [])),
  );
  return runs.flatMap((run) => {
    const ends = log.filter(
      (entry) =>
        entry.kind === "event" && entry.event.type === "run.ended" && entry.event.runId === run.id,
    );
    if (ends.length > 1) return [`run ${run.id} ended ${ends.length} times`];
    const [end] = ends;
    if (end === undefined) return [];
    const late = log.filter(
      (entry) =>
        entry.seq > end.seq &&
        ((entry.kind === "delta" && runOf.get(entry.messageId) === run.id) ||
          (entry.kind === "message" && runOf.get(entry.message.id) === run.id)),
    );
    return late.map(({ seq }) => `run ${run.id} ended at ${end.seq} and wrote at ${seq}`);
  });
}

function replays({ stored, log }: Final): readonly string[] {
  let replayed: Session | null = null;
  for (const entry of log) {
    const event: SessionEvent =
      entry.kind === "event" ? entry.event : { type: "output.appended", at: entry.at };
    replayed = evolve(replayed, event);
  }
  const { lastActiveAt, updatedAt } = stored.session;
  if (replayed === null) return ["the log is empty"];
  return isDeepStrictEqual({ ...replayed, lastActiveAt, updatedAt }, stored.session)
    ? []
    : [`the log replays to ${JSON.stringify(replayed)}, not ${JSON.stringify(stored.session)}`];
}

function watched({ stored, log, messages }: Final, watches: readonly Watch[]): readonly string[] {
  return watches
    .filter(({ sessionId }) => sessionId === stored.session.id)
    .flatMap(({ positions, texts, after, orphans }) => {
      const seen = new Set(positions);
      const rising = positions.every(
        (each, index) => index === 0 || each > (positions[index - 1] ?? 0),
      );
      const missed = log.filter(
        ({ seq, kind }) => kind === "message" && seq <= after && !seen.has(seq),
      );
      const wrong = messages.filter(
        ({ id, content }) =>
          typeof content["text"] === "string" && texts.get(id) !== content["text"],
      );
      return [
        ...(rising ? [] : [`positions ${positions.join(" ")}`]),
        ...(after === stored.lastSeq ? [] : [`the reader is at ${after} of ${stored.lastSeq}`]),
        ...missed.map(({ seq }) => `the reader never saw ${seq}`),
        ...(orphans === 0 ? [] : [`${orphans} pieces of unknown messages`]),
        ...wrong.map(({ id }) => `the reader has another text of ${id}: ${texts.get(id)}`),
      ];
    });
}

function eventsOf(log: readonly LogEntry[]): readonly SessionEvent[] {
  return log.flatMap((entry) => (entry.kind === "event" ? entry.event : []));
}
