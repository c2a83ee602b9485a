import type { Command } from "../../domain/kernel/command.ts";
import { forkOf } from "../../domain/kernel/fork.ts";
import { sameJson, type Json } from "../../domain/json.ts";
import { unfinishedContent } from "../../domain/message.ts";
import type { NewMessage, StoredSuspension } from "../../storage/store.ts";
import type { Executed } from "../execute-command.ts";
import { answerCommands } from "../permissions/grants.ts";
import { chosenOption } from "../permissions/permission-answer.ts";
import { replyWithSession, toRefused } from "../command-reply.ts";
import { noSuchSession, refuse, type Refused, type Reply } from "../reply.ts";
import type {
  AnswerSuspension,
  EditQueued,
  OnSession,
  QueuedMessage,
  UpdateSession,
} from "../runtime.ts";
import { type SessionSnapshot, snapshotOf } from "../session-snapshot.ts";
import type { RuntimeContext } from "../context.ts";
import { refuseMetadata, withoutGrants } from "./session-metadata.ts";

type SessionReply = Reply<{ readonly session: SessionSnapshot }>;
type QueueReply = Reply<{ readonly queue: readonly QueuedMessage[] }>;

/** One command for one session; whoever works on it is told. */
export async function change(
  context: RuntimeContext,
  { sessionId, version }: OnSession,
  command: Command,
): Promise<SessionReply> {
  const executed = await context.execute({ sessionId, command, version });
  if (executed.ok && executed.events.length > 0) context.nudge(sessionId);
  return replyWithSession(context.store, { sessionId, executed });
}

export async function updateSession(
  context: RuntimeContext,
  request: UpdateSession,
): Promise<SessionReply> {
  const { changes, phase, error } = request;
  const refused = refuseMetadata(changes.metadata ?? {});
  if (refused !== null) return refused;
  return change(context, request, {
    type: "update",
    at: context.clock(),
    changes,
    ...(phase !== undefined && { phase }),
    ...(error !== undefined && { error: { id: context.newId(), text: error } }),
  });
}

/** Gone for good, from any state; the reply is the session as it last was. */
export async function deleteSession(
  context: RuntimeContext,
  request: OnSession,
): Promise<SessionReply> {
  const { sessionId, version } = request;
  const loaded = await context.store.load(sessionId);
  if (loaded.found === "unreadable") return deleteUnreadable(context, request);
  const session = await snapshotOf(context.store, sessionId);
  const executed = await context.execute({
    sessionId,
    command: { type: "delete", at: context.clock() },
    version,
  });
  if (!executed.ok) return toRefused(executed);
  context.nudge(sessionId);
  return session === null ? noSuchSession() : { ok: true, session };
}

/** No rule can be asked of a session that cannot be read. The reply is what is known of it. */
async function deleteUnreadable(
  { store, removeUnread }: RuntimeContext,
  { sessionId, version }: OnSession,
): Promise<SessionReply> {
  const raw = await store.readRaw(sessionId);
  if (raw === null) return noSuchSession();
  const { known, row } = raw;
  if (known === null || (version !== undefined && row["version"] !== version))
    return refuse("version_mismatch", "The session has changed since it was read.");
  await removeUnread(sessionId);
  return { ok: true, session: known };
}

export async function editQueued(
  context: RuntimeContext,
  request: EditQueued,
): Promise<QueueReply> {
  const { sessionId, messageId, content, position, version } = request;
  const at = context.clock();
  const commands: Command[] = [];
  if (content !== undefined) commands.push({ type: "edit-queued", at, messageId });
  if (position !== undefined) commands.push({ type: "move-queued", at, messageId, position });
  const executed = await context.execute({
    sessionId,
    command: commands,
    ...(content !== undefined && { extras: { contents: { [messageId]: content } } }),
    version,
  });
  if (!executed.ok) return refuseQueued(context, request, executed);
  context.nudge(sessionId);
  return { ok: true, queue: await context.store.readQueue(sessionId) };
}

export async function withdrawQueued(
  context: RuntimeContext,
  request: OnSession & { readonly messageId: string },
): Promise<QueueReply> {
  const { sessionId, messageId, version } = request;
  const command: Command = { type: "withdraw-queued", at: context.clock(), messageId };
  const executed = await context.execute({ sessionId, command, version });
  if (!executed.ok) return refuseQueued(context, request, executed);
  return { ok: true, queue: await context.store.readQueue(sessionId) };
}

/** The kernel knows the queue only: whether the message is the session's at all, the store says. */
async function refuseQueued(
  { store }: RuntimeContext,
  { sessionId, messageId }: { readonly sessionId: string; readonly messageId: string },
  executed: Extract<Executed, { ok: false }>,
): Promise<Refused> {
  const refused = toRefused(executed);
  if (refused.refusal.code !== "message_not_queued") return refused;
  return (await store.readMessage(sessionId, messageId)) === null
    ? refuse("message_not_found", "The session has no such message, or it was withdrawn.")
    : refused;
}

/** The first answer counts. The same one again is no mistake; another one is told that it is late. */
export async function answer(
  context: RuntimeContext,
  request: AnswerSuspension,
): Promise<SessionReply> {
  const { sessionId, suspensionId, version } = request;
  const suspension = await context.store.readSuspension(suspensionId);
  if (suspension === null || suspension.sessionId !== sessionId) {
    const session = await snapshotOf(context.store, sessionId);
    if (session === null) return noSuchSession();
    return refuse("suspension_not_found", "The session never waited for anything under this id.");
  }
  const meant = meaningOf(suspension, request.answer);
  if (!meant.ok) return meant;
  if (suspension.status !== "open") return answeredBefore(context, suspension, meant.answer);
  const executed = await context.execute({
    sessionId,
    command: await answerCommands(context, { suspension, answer: meant.answer, by: request.by }),
    version,
  });
  if (!executed.ok && "refusal" in executed && executed.refusal.code === "suspension_not_open") {
    const now = await context.store.readSuspension(suspensionId);
    return now === null ? noSuchSession() : answeredBefore(context, now, meant.answer);
  }
  if (executed.ok) context.nudge(sessionId);
  return replyWithSession(context.store, { sessionId, executed });
}

function meaningOf(
  { kind, request }: StoredSuspension,
  given: Json,
): { readonly ok: true; readonly answer: Json } | Refused {
  if (kind !== "permission" && kind !== "budget") return { ok: true, answer: given };
  const optionId = chosenOption(request, given);
  if (optionId !== null) return { ok: true, answer: { optionId } };
  return refuse("answer_invalid", "The answer must name one of the options that were offered.");
}

async function answeredBefore(
  { store }: RuntimeContext,
  { status, answer: earlier, sessionId }: StoredSuspension,
  given: Json,
): Promise<SessionReply> {
  const session = await snapshotOf(store, sessionId);
  if (session === null) return noSuchSession();
  if (status === "answered" && sameJson(earlier, given)) return { ok: true, session };
  if (status === "answered")
    return refuse("suspension_answered", "Somebody answered this before, differently.", session);
  return refuse("suspension_not_open", `This no longer waits: it is ${status}.`, session);
}

/** A new idle session with the history up to a message; the original is left as it is. */
export async function fork(
  context: RuntimeContext,
  { sessionId, atMessage }: { readonly sessionId: string; readonly atMessage: string | null },
): Promise<SessionReply> {
  const loaded = await context.store.load(sessionId);
  if (loaded.found !== "session") return noSuchSession();
  const history = await context.store.readMessages({ sessionId });
  const until =
    atMessage === null ? history.length - 1 : history.findIndex(({ id }) => id === atMessage);
  if (atMessage !== null && until < 0) {
    return refuse("message_not_found", "The session has no such message to fork at.");
  }
  const id = context.newId();
  const messages = history
    .slice(0, until + 1)
    .map(({ role, content, complete, at }): NewMessage => ({
      id: context.newId(),
      runId: null,
      role,
      // Nobody goes on in the copy with what is still open in the original.
      content: complete ? content : unfinishedContent(content),
      at,
    }));
  const { session } = loaded.stored;
  const source = { ...session, metadata: withoutGrants(session.metadata) };
  const command = forkOf(source, { id, at: context.clock(), atMessage });
  const executed = await context.execute({ sessionId: id, command, extras: { messages } });
  return replyWithSession(context.store, { sessionId: id, executed });
}
