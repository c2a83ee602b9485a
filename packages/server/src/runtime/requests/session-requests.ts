import type { Session } from "../../domain/session.ts";
import { GitFault } from "../../git/git-fault.ts";
import { readConversation } from "../files/conversation.ts";
import { nextAgent } from "../../domain/choose-agent.ts";
import type { SettingsChange } from "../../domain/settings/agent-settings.ts";
import { defined } from "../../domain/defined.ts";
import type { Command } from "../../domain/kernel/command.ts";
import { checkAnswer } from "../../domain/elicitation/check-answer.ts";
import { separateSecrets } from "../../domain/elicitation/secret-fields.ts";
import { forkOf } from "../../domain/kernel/fork.ts";
import { sameJson, type Json, type JsonObject } from "../../domain/json.ts";
import { unfinishedContent } from "../../domain/message.ts";
import type { NewMessage, QueuedMessage, StoredSuspension } from "../../storage/store.ts";
import type { Executed } from "../execute-command.ts";
import { refuseAnswer, refuseSecrets } from "../elicitation/refuse-answer.ts";
import { patternMatcher } from "../elicitation/pattern-matcher.ts";
import { parseLoginAnswer } from "../logins/login-question.ts";
import { answerCommands } from "../permissions/grants.ts";
import { chosenOption } from "../permissions/permission-answer.ts";
import { replyWithSession, toRefused } from "../command-reply.ts";
import { noSuchSession, refuse, type Refused, type Reply } from "../reply.ts";
import type { AgentSessionDeleter } from "./delete-agent-sessions.ts";
import type {
  AnswerSuspension,
  DeletedReply,
  DeleteSession,
  EditQueued,
  OnMessage,
  OnSession,
  UpdateSession,
  WorktreeEnd,
} from "./request-types.ts";
import { snapshotOf, withSession, type SessionReply } from "../session-snapshot.ts";
import type { RuntimeContext } from "../context.ts";
import { refuseSettings, withDefaults } from "../settings/session-options.ts";
import { checkConnections } from "./session-connections.ts";
import { refuseMetadata, withoutGrants } from "./session-metadata.ts";

type QueueReply = Reply<{ readonly queue: readonly QueuedMessage[] }>;

/** Executes one command and wakes the session's worker. */
export async function change(
  context: RuntimeContext,
  { sessionId, version }: OnSession,
  command: Command,
): Promise<SessionReply> {
  const executed = await context.execute({ sessionId, command, version });
  if (executed.ok && executed.events.length > 0) context.nudge(sessionId);
  return replyWithSession(context.store, sessionId, executed);
}

export async function updateSession(
  context: RuntimeContext,
  request: UpdateSession,
): Promise<SessionReply> {
  const { changes, phase, error } = request;
  const refused = refuseMetadata(changes.metadata ?? {});
  if (refused !== null) return refused;
  const wanted = await settingsFor(context, request);
  if (wanted !== null && "refusal" in wanted) return wanted;
  const connections = await checkConnections(context, changes);
  if (!connections.ok) return connections;
  const { directories } = connections;
  const report = error === undefined ? undefined : { id: context.newId(), text: error };
  const updated = await change(context, request, {
    type: "update",
    at: context.clock(),
    changes: { ...changes, ...defined({ directories }) },
    ...defined({ phase, error: report, settings: wanted ?? undefined }),
  });
  if (updated.ok && (changes.mcpServers ?? directories) !== undefined)
    context.retireAgent(request.sessionId);
  return updated;
}

/** The settings of the request, for the provider that the next message gets after the request. */
async function settingsFor(
  context: RuntimeContext,
  { sessionId, changes, settings }: UpdateSession,
): Promise<SettingsChange | Refused | null> {
  if (settings === undefined) return null;
  const session = await snapshotOf(context.store, sessionId);
  if (session === null) return noSuchSession();
  const next = nextAgent({ ...session, ...changes });
  const provider = next.provider ?? context.defaultProvider();
  const wanted = { provider, model: next.model, ...settings };
  const refused = await refuseSettings(context, session, wanted);
  return refused ?? withDefaults(context, provider, settings);
}

/**
 * Deletes the session in any state. The reply has its last snapshot, and what became of the sessions of its agents if
 * these were to be deleted, too.
 */
export async function deleteSession(
  context: RuntimeContext,
  request: DeleteSession,
  deleteAgentSessions: AgentSessionDeleter,
): Promise<DeletedReply> {
  const { sessionId, version, agentSessions = false } = request;
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
  // Without workers, nobody else forgets it.
  if (!context.startsAgents) await context.forgetSession(sessionId);
  if (session === null || loaded.found !== "session") return noSuchSession();
  const before = loaded.stored.session;
  const ends = agentSessions
    ? { agentSessions: await deleteAgentSessions(context, before) }
    : undefined;
  const worktreeEnd = await endWorktree(context, before, request.forceWorktree ?? false);
  return { ok: true, session, ...ends, ...defined({ worktreeEnd }) };
}

/** Undefined if the session had no worktree. */
async function endWorktree(
  { folders, untilCleared }: RuntimeContext,
  session: Session,
  force: boolean,
): Promise<WorktreeEnd | undefined> {
  const { worktree } = session.workspace;
  if (worktree === null) return undefined;
  await untilCleared(session.id);
  const { folder: path } = worktree;
  const removal = await folders.removeWorktree(session, force).catch((error: unknown) => {
    if (!(error instanceof GitFault)) throw error;
    return { removed: false, message: error.message } as const;
  });
  return removal.removed
    ? { path, removed: true, message: null, keptAs: removal.keptAs }
    : { path, removed: false, message: removal.message, keptAs: null };
}

/** The kernel cannot decide about an unreadable session. The reply has its readable fields. */
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
  request: OnMessage,
): Promise<QueueReply> {
  const { sessionId, messageId, version } = request;
  const command: Command = { type: "withdraw-queued", at: context.clock(), messageId };
  const executed = await context.execute({ sessionId, command, version });
  if (!executed.ok) return refuseQueued(context, request, executed);
  return { ok: true, queue: await context.store.readQueue(sessionId) };
}

/** The kernel only knows the queue. The store tells whether the session has the message at all. */
async function refuseQueued(
  { store }: RuntimeContext,
  { sessionId, messageId }: OnMessage,
  executed: Extract<Executed, { ok: false }>,
): Promise<Refused> {
  const refused = toRefused(executed);
  if (refused.refusal.code !== "message_not_queued") return refused;
  return (await store.readMessage(sessionId, messageId)) === null
    ? refuse("message_not_found", "The session has no such message, or it was withdrawn.")
    : refused;
}

/** The first answer counts. Repeating it succeeds; a different answer is refused. */
export async function answer(
  context: RuntimeContext,
  request: AnswerSuspension,
): Promise<SessionReply> {
  const { sessionId, suspensionId, version } = request;
  const suspension = await context.store.readSuspension(suspensionId);
  if (suspension === null || suspension.sessionId !== sessionId)
    return withSession(context.store, sessionId, () =>
      refuse("suspension_not_found", "The session has no suspension with this ID."),
    );
  const parsed = parseAnswer(suspension, request.answer);
  if (!parsed.ok) return parsed;
  if (suspension.status !== "open") return replyToClosed(context, suspension, parsed.answer);
  const { secrets } = parsed;
  const refused = secrets === null ? null : await refuseSecrets(context, sessionId);
  if (refused !== null) return refused;
  const command = await answerCommands(context, suspension, parsed.answer, request.by);
  // Before the commit, because the agent may get the answer right after it.
  if (secrets !== null && !context.secretAnswers.keep(suspensionId, secrets))
    return refuse("suspension_answered", "This suspension is just being answered.");
  const executed = await withKept(context, secrets === null ? null : suspensionId, () =>
    context.execute({ sessionId, command, version }),
  );
  if (!executed.ok && "refusal" in executed && executed.refusal.code === "suspension_not_open") {
    const closed = await context.store.readSuspension(suspensionId);
    return closed === null ? noSuchSession() : replyToClosed(context, closed, parsed.answer);
  }
  if (executed.ok) context.nudge(sessionId);
  return replyWithSession(context.store, sessionId, executed);
}

/** Forgets the secrets of an answer that was not stored. */
async function withKept(
  { secretAnswers }: RuntimeContext,
  suspensionId: string | null,
  execute: () => Promise<Executed>,
): Promise<Executed> {
  let isStored = false;
  try {
    const executed = await execute();
    isStored = executed.ok;
    return executed;
  } finally {
    if (suspensionId !== null && !isStored) secretAnswers.forget(suspensionId);
  }
}

interface ParsedAnswer {
  readonly ok: true;
  /** As it is stored. */
  readonly answer: Json;
  /** Secrets of the answer, which are not stored. */
  readonly secrets: JsonObject | null;
}

function parseAnswer({ kind, request }: StoredSuspension, answer: Json): ParsedAnswer | Refused {
  if (kind === "login") {
    const parsed = parseLoginAnswer(answer);
    if (parsed !== null) return { ok: true, answer: { ...parsed }, secrets: null };
    return refuse(
      "answer_invalid",
      'The answer must be {"action": "retry"} or {"action": "cancel"}.',
    );
  }
  if (kind === "elicitation") {
    const checked = checkAnswer(request, answer, patternMatcher());
    if (!checked.ok) return refuseAnswer(checked.problems);
    const { stored, secrets } = separateSecrets(request, checked.answer);
    return { ok: true, answer: { ...stored }, secrets };
  }
  if (kind !== "permission" && kind !== "budget") return { ok: true, answer, secrets: null };
  const optionId = chosenOption(request, answer);
  if (optionId !== null) return { ok: true, answer: { optionId }, secrets: null };
  return refuse("answer_invalid", "The answer must name one of the offered options.");
}

function replyToClosed(
  { store }: RuntimeContext,
  { status, answer: firstAnswer, sessionId }: StoredSuspension,
  newAnswer: Json,
): Promise<SessionReply> {
  return withSession(store, sessionId, (session) => {
    if (status !== "answered")
      return refuse(
        "suspension_not_open",
        `This suspension is not open: it is ${status}.`,
        session,
      );
    if (sameJson(firstAnswer, newAnswer)) return { session };
    const message = "This suspension already has a different answer.";
    return refuse("suspension_answered", message, session);
  });
}

/** Creates an idle session with the history up to a message. The original does not change. */
export async function fork(
  context: RuntimeContext,
  { sessionId, atMessage }: { readonly sessionId: string; readonly atMessage: string | null },
): Promise<SessionReply> {
  const loaded = await context.store.load(sessionId);
  if (loaded.found !== "session") return noSuchSession();
  const history = await readConversation(context.store, { sessionId });
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
      // No agent finishes an open message in the copy.
      content: complete ? content : unfinishedContent(content),
      at,
    }));
  const { session } = loaded.stored;
  const source = { ...session, metadata: withoutGrants(session.metadata) };
  const runs = await context.store.readRuns(sessionId);
  const lastRun = runs.findLast(({ startedAt }) => startedAt !== null)?.id ?? null;
  const isWhole = until === history.length - 1;
  const command = forkOf(source, {
    id,
    at: context.clock(),
    atMessage,
    ...(isWhole && { whole: { lastRun } }),
  });
  const executed = await context.execute({ sessionId: id, command, extras: { messages } });
  return replyWithSession(context.store, id, executed);
}
