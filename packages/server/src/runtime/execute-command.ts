import type { Command } from "../domain/kernel/command.ts";
import { decide } from "../domain/kernel/decide.ts";
import type { SessionEvent } from "../domain/kernel/event.ts";
import { evolve } from "../domain/kernel/evolve.ts";
import { noticesOf, type MessageContent } from "../domain/message.ts";
import type { Refusal } from "../domain/kernel/refusal.ts";
import { openSuspensionsOf, runIdOf, type Session } from "../domain/session.ts";
import { StorageFault } from "../storage/fault.ts";
import type { Change, Committed, NewMessage, Store, StoredSession } from "../storage/store.ts";
import { unreadable } from "./session-snapshot.ts";

export interface CommandContext {
  readonly store: Store;
  readonly newId: () => string;
  /** The session as this process knows it, if nobody else may have changed it. Decides the first time, instead of a read. */
  readonly known?: StoredSession | null;
}

/** Written in the same transaction as the events. */
export type CommandExtras = Pick<
  Change,
  "contents" | "messages" | "fence" | "agentCursor" | "remember"
>;

export interface Execution {
  readonly sessionId: string;
  /** Several commands are decided in order and committed together. */
  readonly command: Commands | ((session: Session | null) => Commands);
  readonly extras?: CommandExtras | ((decided: Decided) => CommandExtras);
  /** Refused if the session has another version. */
  readonly version?: number | undefined;
  /** The ID is new, so there is no session that could be read. */
  readonly isNew?: boolean;
}

type Commands = Command | readonly Command[];

/** The result of a decision, before the commit. */
export interface Decided {
  readonly events: readonly SessionEvent[];
  readonly session: Session | null;
}

export type Executed =
  | {
      readonly ok: true;
      readonly events: readonly SessionEvent[];
      /** The new session; null after a delete. */
      readonly session: Session | null;
      readonly before: Session | null;
      /** Null if there was nothing to store. */
      readonly committed: Committed | null;
    }
  | { readonly ok: false; readonly refusal: Refusal }
  | {
      readonly ok: false;
      readonly refused: "fenced" | "remembered" | "version_mismatch" | "agent_id_taken";
    };

/** Conflicts in a row before the command fails. */
const MAX_CONFLICTS = 50;

/**
 * Reads, decides, commits. After a conflict it decides again on the new session. A session that is known is not read, but only a
 * commit proves that it is the newest: before anything else is returned, it is read and decided on again.
 */
export async function executeCommand(
  { store, newId, known = null }: CommandContext,
  execution: Execution,
): Promise<Executed> {
  const { sessionId, isNew = false } = execution;
  if (known !== null || isNew) {
    const executed = await decideAndCommit({ store, newId }, known, execution);
    if (executed !== "conflict" && executed.ok && executed.committed !== null) return executed;
  }
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
    const before = await loadOrThrow(store, sessionId);
    const executed = await decideAndCommit({ store, newId }, before, execution);
    if (executed !== "conflict") return executed;
  }
  throw new StorageFault(
    "database_busy",
    `Session ${sessionId} changed too often while a command was decided.`,
  );
}

async function decideAndCommit(
  { store, newId }: Pick<CommandContext, "store" | "newId">,
  before: StoredSession | null,
  { command, extras = {}, version }: Execution,
): Promise<Executed | "conflict"> {
  const session = before?.session ?? null;
  if (version !== undefined && before !== null && before.version !== version)
    return { ok: false, refused: "version_mismatch" };
  const decision = decideAll(session, typeof command === "function" ? command(session) : command);
  if (!decision.ok) return decision;
  const { events } = decision;
  const writes = typeof extras === "function" ? extras(decision) : extras;
  if (events.length === 0) {
    // Another owner may have caused this state. A caller that lost the session must learn that.
    return isFencedOff(before, writes)
      ? { ok: false, refused: "fenced" }
      : { ok: true, events, session, before: session, committed: null };
  }
  const notices = noticeMessages(events, session, newId);
  const committed = await store.commit({ before, events, ...writes, notices });
  if (committed.ok)
    return {
      ok: true,
      events,
      session: committed.stored?.session ?? null,
      before: session,
      committed,
    };
  return committed.refused === "conflict" ? "conflict" : { ok: false, refused: committed.refused };
}

function isFencedOff(before: StoredSession | null, { fence }: CommandExtras): boolean {
  if (fence === undefined) return false;
  return before?.owner !== fence.node || before.epoch !== fence.epoch;
}

function decideAll(
  before: Session | null,
  commands: Commands,
): ({ readonly ok: true } & Decided) | { readonly ok: false; readonly refusal: Refusal } {
  const events: SessionEvent[] = [];
  let session = before;
  for (const command of isSingle(commands) ? [commands] : commands) {
    const decision = decide(session, command);
    if (!decision.ok) return decision;
    for (const event of decision.events) session = evolve(session, event);
    events.push(...decision.events);
  }
  return { ok: true, events, session };
}

function isSingle(commands: Commands): commands is Command {
  return "type" in commands;
}

async function loadOrThrow(store: Store, sessionId: string): Promise<StoredSession | null> {
  const loaded = await store.load(sessionId);
  switch (loaded.found) {
    case "session":
      return loaded.stored;
    case "nothing":
      return null;
    case "unreadable":
      throw unreadable(sessionId, loaded.reason);
    default:
      return loaded satisfies never;
  }
}

function noticeMessages(
  events: readonly SessionEvent[],
  before: Session | null,
  newId: () => string,
): NonNullable<Change["notices"]> {
  const open = before === null ? [] : openSuspensionsOf(before);
  const entries = events.flatMap((event, index): [number, readonly NewMessage[]][] => {
    const contents = noticesOf(event, open);
    const runId =
      event.type === "suspension.closed" ? runIdOf(before) : "runId" in event ? event.runId : null;
    const toMessage = (content: MessageContent): NewMessage => ({
      id: newId(),
      runId,
      role: "system",
      content,
    });
    return contents.length === 0 ? [] : [[index, contents.map(toMessage)]];
  });
  return Object.fromEntries(entries);
}
