import { NEW_RUN_FILES } from "../../domain/files/working-files.ts";
import { chooseAgent, type AgentWish } from "../../domain/choose-agent.ts";
import { defined } from "../../domain/defined.ts";
import type { Send } from "../../domain/kernel/command.ts";
import type { MessageContent } from "../../domain/message.ts";
import type { RunStart } from "../../domain/run.ts";
import { stateOf, type Session } from "../../domain/session.ts";
import { STATUS_RULES } from "../../domain/status.ts";
import type { Run, SessionRecord } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";
import type { Decided } from "../execute-command.ts";
import { keyOf, once, remembering, type RequestKey } from "./idempotency.ts";
import { canStartHanded, reserveAgent } from "../run/hand-over.ts";
import { toRefused } from "../command-reply.ts";
import { noSuchSession, type Reply } from "../reply.ts";
import { refuseSettings } from "../settings/session-options.ts";
import { refuseProvider, type ChosenBy } from "./refuse-provider.ts";
import type { CreateSession, SendMessage, Sent } from "./request-types.ts";
import { deliveryOf, firstOutcome, withOutcome } from "./steered-message.ts";
import { knownSnapshot } from "../session-snapshot.ts";

/** Stores the message. If its run can start now, it starts in the same transaction. */
export async function sendMessage(
  context: RuntimeContext,
  request: SendMessage,
  { mayReserve = true }: { readonly mayReserve?: boolean } = {},
): Promise<Reply<{ readonly sent: Sent }>> {
  const key = keyOf(`send ${request.sessionId}`, request);
  const reply = await once(context, key, {
    execute: () => storeMessage(context, request, { key, mayReserve }),
    toAnswer: (sent: Sent) => ({ sent }),
  });
  return reply.ok ? { ok: true, sent: await withOutcome(context, reply.sent) } : reply;
}

async function storeMessage(
  context: RuntimeContext,
  request: SendMessage,
  { key, mayReserve }: { readonly key: RequestKey | null; readonly mayReserve: boolean },
): Promise<Reply<{ readonly sent: Sent }>> {
  const session = await knownSnapshot(context, request.sessionId);
  if (session === null) return noSuchSession();
  const { id: sessionId, repoId } = session;
  const defaultProvider = context.defaultProvider();
  const runId = context.newId();
  const start = chooseAgent(request, { session, defaultProvider });
  if (request.settings !== undefined) {
    const refused = await refuseSettings(context, session, { ...start, ...request.settings });
    if (refused !== null) return refused;
  }
  const isNext = beginsAtOnce(session, request);
  const { provider } = start;
  const reservation =
    mayReserve && isNext ? reserveAgent(context, request, { runId, provider }) : null;
  const chosenBy = chosenByOf(request, session);
  const checksProvider = context.startsAgents || chosenBy === "request";
  // The provider of a live agent is installed.
  if (STATUS_RULES[session.status].takesMessages && reservation === null && checksProvider) {
    const refused = await refuseProvider(context, provider, chosenBy);
    if (refused !== null) return refused;
  }

  const isStarted = isNext && reserveSlot(context, sessionId, repoId);
  const fence = isStarted ? (reservation?.fence ?? null) : null;
  const { content, model, continuity, settings } = request;
  const delivery = deliveryOf(context, sessionId, request);
  const chosen = { provider: request.provider, model, ...defined({ settings }) };
  const fields = { runId, ...chosen, continuity, delivery };
  const command = newSend(context, fields);
  // Decided on the latest session, which may have changed since it was read.
  const startOn = (latest: Session | null): RunStart => {
    const choice = chooseAgent(request, { session: latest ?? session, defaultProvider });
    const handed = fence !== null && canStartHanded(latest) && choice.provider === provider;
    return { ...choice, handed };
  };
  // The last one counts: a conflict makes the command be decided again.
  const decisions: Sent[] = [];
  try {
    const executed = await context.execute({
      sessionId,
      command: (latest) => (isStarted ? { ...command, start: startOn(latest) } : command),
      extras: (decided) => {
        const stored = sentIn(decided, command, content);
        const sent = { ...stored, ...firstOutcome(request, decided, command.messageId) };
        decisions.push(sent);
        return {
          contents: { [command.messageId]: content },
          ...remembering(key, sent),
          ...(fence !== null && { fence }),
        };
      },
    });
    if (executed.ok) {
      const sent = decisions.at(-1);
      if (sent === undefined)
        throw new Error("unreachable: a message of a new id was known already");
      return { ok: true, sent };
    }
    if ("refused" in executed && executed.refused === "remembered")
      return await sendMessage(context, request);
    // Another node owns the session now, so its agent cannot get the message from here.
    if ("refused" in executed && executed.refused === "fenced")
      return await sendMessage(context, request, { mayReserve: false });
    return toRefused(executed);
  } finally {
    reservation?.endCommit();
    // In every case, so that the worker releases a slot that is not needed. On the next tick, so that the feeds send the
    // message before the agent's first output.
    process.nextTick(() => context.nudge(sessionId));
  }
}

function chosenByOf({ provider }: SendMessage, session: SessionRecord): ChosenBy {
  if (provider !== null) return "request";
  if (session.provider !== null) return "preference";
  return session.lastRun === null ? "request" : "last_run";
}

const NO_WISH: AgentWish = { provider: null, model: null };

/** A command that queues a message, unless the fields say otherwise. */
export function newSend(
  { clock, newId, limits }: RuntimeContext,
  fields: Partial<Omit<Send, "type">>,
): Send {
  return {
    type: "send",
    at: clock(),
    messageId: newId(),
    runId: newId(),
    ...NO_WISH,
    continuity: "auto",
    delivery: "queue",
    maxQueued: limits.queue,
    start: null,
    ...fields,
  };
}

/** The command of a first message, for the transaction that creates its session. */
export function firstMessage(
  context: RuntimeContext,
  sessionId: string,
  request: CreateSession,
): Send {
  if (!reserveSlot(context, sessionId, request.repoId)) return newSend(context, {});
  const defaultProvider = context.defaultProvider();
  const choice = chooseAgent(NO_WISH, { session: { ...request, lastRun: null }, defaultProvider });
  return newSend(context, { start: { ...choice, handed: false } });
}

/** Whether a run of the session can start now: here, in which case its slot is taken, or on another node. */
function reserveSlot(
  { slots, cluster, node }: RuntimeContext,
  sessionId: string,
  repoId: string | null,
): boolean {
  if (!cluster.isAlone && !slots.holds(sessionId)) {
    const best = cluster.bestFor(repoId);
    if (best !== node) return best !== null;
  }
  return !cluster.isDraining && slots.take(sessionId) !== null;
}

function beginsAtOnce(session: SessionRecord, { delivery }: SendMessage): boolean {
  if (!STATUS_RULES[session.status].takesMessages || session.delivery !== "open") return false;
  return delivery === "interrupt" || (session.state === "idle" && session.queued === 0);
}

/** The accepted message, derived from the events of its transaction. */
export function sentIn({ events, session }: Decided, command: Send, content: MessageContent): Sent {
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
    ...defined({ settings: command.settings }),
    attempts: started?.run.attempts ?? 0,
    stopReason: null,
    error: null,
    usage: null,
    memory: started?.run.handed === true ? { how: "live" } : null,
    queuedAt: at,
    startedAt: started === undefined ? null : at,
    endedAt: null,
    unusedAnswers: [],
    ...NEW_RUN_FILES,
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

function reasonToWait(session: Session): string {
  if (session.delivery !== "open") return "The session's delivery policy holds messages back.";
  const state = stateOf(session);
  if (state === "running") return "A run is active. The message follows it.";
  if (state === "suspended") return "A run waits for an answer. The message follows it.";
  return "All agent slots are in use. The message is delivered when one is free.";
}
