import type { Command, Send } from "../domain/command.ts";
import type { Json } from "../domain/json.ts";
import type { MessageContent } from "../domain/message.ts";
import { STATUS_RULES } from "../domain/status.ts";
import type { IdempotencyKey, Remembered, Run, SessionRecord } from "../storage/store.ts";
import type { RuntimeContext } from "./context.ts";
import type { CommandExtras, Decided } from "./execute-command.ts";
import { fromRemembered, toRemembered } from "./remembered-reply.ts";
import { noSuchSession, refuse, toRefused, type Refused } from "./replies.ts";
import type { CreateSession, Idempotent, Reply, SendMessage, Sent } from "./runtime.ts";
import { runStart } from "./run-start.ts";
import { snapshotOf } from "./session-snapshot.ts";

/** What sending needs besides the context. */
export interface Sending extends RuntimeContext {
  readonly nudge: (sessionId: string) => void;
}

/** Stores the message, and starts its run in the same transaction where it can begin at once. */
export async function sendMessage(
  sending: Sending,
  request: SendMessage,
): Promise<Reply<{ readonly sent: Sent }>> {
  const key = keyOf(`send ${request.sessionId}`, request);
  const before = await recalled(sending, { key, request });
  if (before !== null)
    return before.ok ? { ok: true, sent: fromRemembered<Sent>(before.response) } : before;

  const session = await snapshotOf(sending.store, request.sessionId);
  if (session === null) return noSuchSession();
  const name = request.provider ?? session.provider ?? sending.defaultProvider;
  if (STATUS_RULES[session.status].takesMessages) {
    const refused = await refuseProvider(sending, name);
    if (refused !== null) return refused;
  }

  const place = beginsAtOnce(session, request) ? sending.places.take(session.id) : null;
  const command: Send = {
    type: "send",
    at: sending.clock(),
    messageId: sending.newId(),
    runId: sending.newId(),
    provider: request.provider,
    model: request.model,
    continuity: request.continuity,
    delivery: request.delivery,
    maxQueued: sending.limits.queue,
    start:
      place === null
        ? null
        : runStart(request, { session, defaultProvider: sending.defaultProvider }),
  };
  const taken: Sent[] = [];
  try {
    const executed = await sending.execute({
      sessionId: session.id,
      command,
      extras: (decided) => {
        const sent = sentIn(decided, { command, content: request.content });
        taken.push(sent);
        return extrasOf({
          command,
          content: request.content,
          key,
          request,
          response: toRemembered(sent),
        });
      },
    });
    if (executed.ok) {
      const sent = taken.at(-1);
      if (sent === undefined)
        throw new Error("unreachable: a message of a new id was known already");
      return { ok: true, sent };
    }
    if ("refused" in executed && executed.refused === "remembered") {
      return await sendMessage(sending, request);
    }
    return toRefused(executed);
  } finally {
    // Whatever came of it: a place that was taken and is not needed is given back.
    sending.nudge(session.id);
  }
}

/** The commands of a first message, for the transaction that creates its session. */
export function firstMessage(
  sending: Sending,
  { request, sessionId }: { readonly request: CreateSession; readonly sessionId: string },
): Send {
  const place = sending.places.take(sessionId);
  return {
    type: "send",
    at: sending.clock(),
    messageId: sending.newId(),
    runId: sending.newId(),
    provider: null,
    model: null,
    continuity: "auto",
    delivery: "queue",
    maxQueued: sending.limits.queue,
    start:
      place === null
        ? null
        : runStart(request, { session: request, defaultProvider: sending.defaultProvider }),
  };
}

function beginsAtOnce(session: SessionRecord, { delivery }: SendMessage): boolean {
  if (!STATUS_RULES[session.status].takesMessages || session.delivery !== "open") return false;
  return delivery === "interrupt" || (session.state === "idle" && session.queued === 0);
}

export async function refuseProvider(
  { provider }: RuntimeContext,
  name: string,
): Promise<Refused | null> {
  const found = provider(name);
  if (found === null) {
    return refuse("provider_unknown", `There is no provider "${name}". See GET /api/providers.`);
  }
  const { installed, title, install, command } = await found.describe();
  if (installed) return null;
  const program = command[0] ?? name;
  const where = program.includes("/")
    ? `There is no program ${program}.`
    : "It is not on the PATH.";
  const how = install === null ? "" : ` To install it: ${install}`;
  return refuse("agent_not_installed", `${title} is not installed. ${where}${how}`);
}

export function keyOf(scope: string, { idempotency }: Idempotent): IdempotencyKey | null {
  return idempotency === null ? null : { scope, key: idempotency.key };
}

/** What was answered under the same key before; null when nothing was. */
export async function recalled(
  { store }: RuntimeContext,
  { key, request }: { readonly key: IdempotencyKey | null; readonly request: Idempotent },
): Promise<{ readonly ok: true; readonly response: Json } | Refused | null> {
  const known = key === null ? null : await store.recall(key);
  if (known === null) return null;
  if (known.requestHash === request.idempotency?.requestHash) {
    return { ok: true, response: known.response };
  }
  return refuse(
    "idempotency_key_reused",
    "This Idempotency-Key was used for another request. Use a new one.",
  );
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
    attempts: 0,
    stopReason: null,
    error: null,
    usage: null,
    memory: null,
    queuedAt: at,
    startedAt: started === undefined ? null : at,
    endedAt: null,
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
