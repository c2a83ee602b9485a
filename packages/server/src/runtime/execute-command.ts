import type { Command } from "../domain/kernel/command.ts";
import { decide } from "../domain/kernel/decide.ts";
import type { SessionEvent } from "../domain/kernel/event.ts";
import { evolve } from "../domain/kernel/evolve.ts";
import { noticesOf, type MessageContent } from "../domain/message.ts";
import type { Refusal } from "../domain/kernel/refusal.ts";
import type { Session } from "../domain/session.ts";
import { StorageFault } from "../storage/fault.ts";
import type { Change, NewMessage, Store, StoredSession } from "../storage/store.ts";
import { unreadable } from "./session-snapshot.ts";

export interface CommandContext {
  readonly store: Store;
  readonly newId: () => string;
}

/** What goes with a command into the same transaction. */
export type CommandExtras = Pick<Change, "contents" | "messages" | "fence" | "remember">;

export interface Execution {
  readonly sessionId: string;
  /** Several are decided one after the other and stored together, or not at all. */
  readonly command: Wish | ((session: Session | null) => Wish);
  readonly extras?: CommandExtras | ((decided: Decided) => CommandExtras);
  /** Refuses when the session has changed since this version. */
  readonly version?: number | undefined;
}

type Wish = Command | readonly Command[];

/** What is about to be stored. */
export interface Decided {
  readonly events: readonly SessionEvent[];
  readonly session: Session | null;
}

export type Executed =
  | {
      readonly ok: true;
      readonly events: readonly SessionEvent[];
      /** As it is now; null after a delete. */
      readonly session: Session | null;
      readonly before: Session | null;
    }
  | { readonly ok: false; readonly refusal: Refusal }
  | {
      readonly ok: false;
      readonly refused: "fenced" | "remembered" | "version_mismatch" | "agent_id_taken";
    };

/** Others may be faster this often in a row before it is called a failure. */
const MAX_CONFLICTS = 50;

/** Read, decide, commit. Whoever was faster makes the decision be taken again, on what is so now. */
export async function executeCommand(
  { store, newId }: CommandContext,
  { sessionId, command, extras = {}, version }: Execution,
): Promise<Executed> {
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
    const before = await loadOrThrow(store, sessionId);
    const session = before?.session ?? null;
    if (version !== undefined && before !== null && before.version !== version)
      return { ok: false, refused: "version_mismatch" };
    const decision = decideAll(session, typeof command === "function" ? command(session) : command);
    if (!decision.ok) return decision;
    const { events } = decision;
    const more = typeof extras === "function" ? extras(decision) : extras;
    if (events.length === 0) {
      // What is so already may be the work of another owner: to whoever lost the session, it is not done.
      return isFencedOff(before, more)
        ? { ok: false, refused: "fenced" }
        : { ok: true, events, session, before: session };
    }
    const notices = noticeMessages(events, newId);
    const committed = await store.commit({ before, events, ...more, notices });
    if (committed.ok) {
      return { ok: true, events, session: committed.stored?.session ?? null, before: session };
    }
    if (committed.refused !== "conflict") return { ok: false, refused: committed.refused };
  }
  throw new StorageFault(
    "database_busy",
    `Session ${sessionId} changed faster than a command could be decided.`,
  );
}

function isFencedOff(before: StoredSession | null, { fence }: CommandExtras): boolean {
  if (fence === undefined) return false;
  return before?.owner !== fence.node || before.epoch !== fence.epoch;
}

function decideAll(
  before: Session | null,
  wish: Wish,
): ({ readonly ok: true } & Decided) | { readonly ok: false; readonly refusal: Refusal } {
  const events: SessionEvent[] = [];
  let session = before;
  for (const command of isOne(wish) ? [wish] : wish) {
    const decision = decide(session, command);
    if (!decision.ok) return decision;
    for (const event of decision.events) session = evolve(session, event);
    events.push(...decision.events);
  }
  return { ok: true, events, session };
}

function isOne(wish: Wish): wish is Command {
  return "type" in wish;
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
  newId: () => string,
): NonNullable<Change["notices"]> {
  const entries = events.flatMap((event, index): [number, readonly NewMessage[]][] => {
    const contents = noticesOf(event);
    const runId = "runId" in event ? event.runId : null;
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
