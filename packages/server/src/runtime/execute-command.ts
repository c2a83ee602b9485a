import type { Command } from "../domain/command.ts";
import { decide } from "../domain/decide.ts";
import type { SessionEvent } from "../domain/event.ts";
import { noticeOf } from "../domain/message.ts";
import type { Refusal } from "../domain/refusal.ts";
import type { Session } from "../domain/session.ts";
import { StorageFault } from "../storage/fault.ts";
import type { Change, NewMessage, Store, StoredSession } from "../storage/store.ts";

export interface CommandContext {
  readonly store: Store;
  readonly newId: () => string;
}

/** What goes with a command into the same transaction. */
export type CommandExtras = Pick<Change, "contents" | "messages" | "fence" | "remember">;

export type Executed =
  | {
      readonly ok: true;
      readonly events: readonly SessionEvent[];
      /** As it is now; null after a delete. */
      readonly session: Session | null;
      readonly before: Session | null;
    }
  | { readonly ok: false; readonly refusal: Refusal }
  | { readonly ok: false; readonly refused: "fenced" | "remembered" };

/** Others may be faster this often in a row before it is called a failure. */
const MAX_CONFLICTS = 50;

/** Read, decide, commit. Whoever was faster makes the decision be taken again, on what is so now. */
export async function executeCommand(
  { store, newId }: CommandContext,
  {
    sessionId,
    command,
    extras = {},
  }: {
    readonly sessionId: string;
    readonly command: Command | ((session: Session | null) => Command);
    readonly extras?: CommandExtras;
  },
): Promise<Executed> {
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
    const before = await loadOrThrow(store, sessionId);
    const session = before?.session ?? null;
    const decision = decide(session, typeof command === "function" ? command(session) : command);
    if (!decision.ok) return decision;
    const { events } = decision;
    if (events.length === 0) return { ok: true, events, session, before: session };

    const notices = events.flatMap((event) => noticeMessage(event, newId));
    const messages = [...(extras.messages ?? []), ...notices];
    const committed = await store.commit({ before, events, ...extras, messages });
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

async function loadOrThrow(store: Store, sessionId: string): Promise<StoredSession | null> {
  const loaded = await store.load(sessionId);
  switch (loaded.found) {
    case "session":
      return loaded.stored;
    case "nothing":
      return null;
    case "unreadable":
      throw new StorageFault(
        "row_unreadable",
        `Session ${sessionId} cannot be read: ${loaded.reason}.`,
      );
    default:
      return loaded satisfies never;
  }
}

function noticeMessage(event: SessionEvent, newId: () => string): NewMessage[] {
  const content = noticeOf(event);
  if (content === null) return [];
  const runId = "runId" in event ? event.runId : null;
  return [{ id: newId(), runId, role: "system", content }];
}
