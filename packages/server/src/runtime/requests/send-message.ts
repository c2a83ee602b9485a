import { chooseAgent, type AgentChoice, type AgentWish } from "../../domain/choose-agent.ts";
import type { Command, Send } from "../../domain/kernel/command.ts";
import type { Json } from "../../domain/json.ts";
import type { MessageContent } from "../../domain/message.ts";
import type { RunStart } from "../../domain/run.ts";
import { stateOf, type Session } from "../../domain/session.ts";
import { STATUS_RULES } from "../../domain/status.ts";
import type { Fence, IdempotencyKey, Remembered, Run, SessionRecord } from "../../storage/store.ts";
import { budgetIn } from "../budget.ts";
import type { RuntimeContext } from "../context.ts";
import type { CommandExtras, Decided } from "../execute-command.ts";
import { fromRemembered, keyOf, recalled, toRemembered } from "./idempotency.ts";
import { toRefused } from "../command-reply.ts";
import { noSuchSession, type Reply } from "../reply.ts";
import type { CreateSession, Idempotent, SendMessage, Sent } from "../runtime.ts";
import { refuseProvider, type ChosenBy } from "./refuse-provider.ts";
import { reservePlace } from "./reserve-place.ts";
import { snapshotOf } from "../session-snapshot.ts";

/** Stores the message, and starts its run in the same transaction where it can begin at once. */
export async function sendMessage(
  context: RuntimeContext,
  request: SendMessage,
  { mayGive = true }: { readonly mayGive?: boolean } = {},
): Promise<Reply<{ readonly sent: Sent }>> {
  const key = keyOf(`send ${request.sessionId}`, request);
  const before = await recalled(context, { key, request });
  if (before !== null)
    return before.ok ? { ok: true, sent: fromRemembered<Sent>(before.response) } : before;

  const session = await snapshotOf(context.store, request.sessionId);
  if (session === null) return noSuchSession();
  const { id: sessionId, repoId } = session;
  const { defaultProvider } = context;
  const runId = context.newId();
  const start = chooseAgent(request, { session, defaultProvider });
  const isNext = beginsAtOnce(session, request);
  const toGive = mayGive && isNext ? fenceToGive(context, { request, runId, start }) : null;
  const chosenBy = choiceIsBy(request, session);
  const isForUs = context.startsAgents || chosenBy === "request";
  // An agent that is alive is installed.
  if (STATUS_RULES[session.status].takesMessages && toGive === null && isForUs) {
    const refused = await refuseProvider(context, { name: start.provider, chosenBy });
    if (refused !== null) return refused;
  }

  const isStarted = isNext && reservePlace(context, { sessionId, repoId });
  const fence = isStarted ? toGive : null;
  const command: Send = {
    type: "send",
    at: context.clock(),
    messageId: context.newId(),
    runId,
    provider: request.provider,
    model: request.model,
    continuity: request.continuity,
    delivery: request.delivery,
    maxQueued: context.limits.queue,
    start: null,
  };
  // Chosen from what the session says now: it may have changed since it was read.
  const startOn = (now: Session | null): RunStart => {
    const chosen = chooseAgent(request, { session: now ?? session, defaultProvider });
    const isGiven = fence !== null && canGive(now) && chosen.provider === start.provider;
    return { ...chosen, handed: isGiven };
  };
  const taken: Sent[] = [];
  try {
    const executed = await context.execute({
      sessionId,
      command: (now) => (isStarted ? { ...command, start: startOn(now) } : command),
      extras: (decided) => {
        const sent = sentIn(decided, { command, content: request.content });
        taken.push(sent);
        const extras = extrasOf({
          command,
          content: request.content,
          key,
          request,
          response: toRemembered(sent),
        });
        return { ...extras, ...(fence !== null && { fence }) };
      },
    });
    if (executed.ok) {
      const sent = taken.at(-1);
      if (sent === undefined)
        throw new Error("unreachable: a message of a new id was known already");
      return { ok: true, sent };
    }
    if ("refused" in executed && executed.refused === "remembered")
      return await sendMessage(context, request);
    // The session is another node's by now, and so is giving.
    if ("refused" in executed && executed.refused === "fenced")
      return await sendMessage(context, request, { mayGive: false });
    return toRefused(executed);
  } finally {
    // Whatever came of it: a place that was taken and is not needed is given back. After those who watch the session have been
    // told, where that takes no waiting: or what its agent says at once would come while we are busy with it.
    process.nextTick(() => context.nudge(sessionId));
  }
}

function choiceIsBy({ provider }: SendMessage, session: SessionRecord): ChosenBy {
  if (provider !== null) return "request";
  if (session.provider !== null) return "preference";
  return session.lastRun === null ? "request" : "last_run";
}

/** Where a live agent has nothing to do, the message is stored as given to it, and given right after. */
function fenceToGive(
  { giveAlong }: RuntimeContext,
  {
    request: { sessionId, continuity, delivery },
    runId,
    start: { provider },
  }: { readonly request: SendMessage; readonly runId: string; readonly start: AgentChoice },
): Fence | null {
  if (continuity === "off" || delivery === "interrupt") return null;
  return giveAlong(sessionId, { runId, provider });
}

/** Whether the message starts at once, with nothing to ask before. */
function canGive(session: Session | null): boolean {
  if (session === null || session.standing.status !== "active") return false;
  const isFree = stateOf(session) === "idle" && session.queue.length === 0;
  return isFree && session.delivery === "open" && budgetIn(session.metadata) === null;
}

const NO_WISH: AgentWish = { provider: null, model: null };

/** The commands of a first message, for the transaction that creates its session. */
export function firstMessage(
  context: RuntimeContext,
  { request, sessionId }: { readonly request: CreateSession; readonly sessionId: string },
): Send {
  const { defaultProvider } = context;
  const isStarted = reservePlace(context, { sessionId, repoId: request.repoId });
  return {
    type: "send",
    at: context.clock(),
    messageId: context.newId(),
    runId: context.newId(),
    provider: null,
    model: null,
    continuity: "auto",
    delivery: "queue",
    maxQueued: context.limits.queue,
    start: isStarted
      ? {
          ...chooseAgent(NO_WISH, { session: { ...request, lastRun: null }, defaultProvider }),
          handed: false,
        }
      : null,
  };
}

function beginsAtOnce(session: SessionRecord, { delivery }: SendMessage): boolean {
  if (!STATUS_RULES[session.status].takesMessages || session.delivery !== "open") return false;
  return delivery === "interrupt" || (session.state === "idle" && session.queued === 0);
}

export function extrasOf({
  command,
  content,
  key,
  request,
  response,
}: {
  command: Command | null;
  content: MessageContent | null;
  key: IdempotencyKey | null;
  request: Idempotent;
  response: Json;
}): CommandExtras {
  const remember: (IdempotencyKey & Remembered) | null =
    key === null || request.idempotency === null
      ? null
      : { ...key, requestHash: request.idempotency.requestHash, response };
  return {
    ...(command?.type === "send" &&
      content !== null && { contents: { [command.messageId]: content } }),
    ...(remember !== null && { remember }),
  };
}

/** How the message was taken, told from what is about to be stored. */
export function sentIn(
  { events, session }: Decided,
  { command, content }: { readonly command: Send; readonly content: MessageContent },
): Sent {
  if (session === null) throw new Error("unreachable: a message to nothing");
  const { messageId, runId } = command;
  const queuedEvent = events.find((event) => event.type === "message.queued");
  const started = events.find((event) => event.type === "run.started");
  const at = queuedEvent?.at ?? command.at;
  const position = session.queue.findIndex((entry) => entry.messageId === messageId);
  const run: Run = {
    id: runId,
    sessionId: session.id,
    messageId,
    status: started === undefined ? "queued" : "running",
    provider: started?.run.provider ?? command.provider,
    model: started?.run.model ?? command.model,
    attempts: started?.run.attempts ?? 0,
    stopReason: null,
    error: null,
    usage: null,
    memory: started?.run.handed === true ? { how: "live" } : null,
    queuedAt: at,
    startedAt: started === undefined ? null : at,
    endedAt: null,
    unusedAnswers: [],
  };
  const isQueued = position >= 0;
  return {
    messageId,
    content,
    at,
    run,
    queued: isQueued,
    position: isQueued ? position : null,
    waitsFor: isQueued ? reasonToWait(session) : null,
  };
}

function reasonToWait(session: NonNullable<Decided["session"]>): string {
  if (session.delivery !== "open") return "The session's delivery policy holds messages back.";
  const { standing } = session;
  if ("activity" in standing && standing.activity.state === "running") {
    return "A run is under way; the message comes after it.";
  }
  if ("activity" in standing && standing.activity.state === "suspended") {
    return "A run waits for an answer; the message comes after it.";
  }
  return "Every place for an agent is taken; the message is delivered when one is free.";
}
