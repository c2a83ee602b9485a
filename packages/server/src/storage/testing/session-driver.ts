import { randomUUID } from "node:crypto";
import type { Command, Create, Send } from "../../domain/kernel/command.ts";
import { decide } from "../../domain/kernel/decide.ts";
import type { Message, MessageContent } from "../../domain/message.ts";
import type { RunResult } from "../../domain/run.ts";
import type { Suspension } from "../../domain/suspension.ts";
import * as ready from "../../domain/testing/commands.ts";
import { COMPLETED, HANDED, NOON } from "../../domain/testing/commands.ts";
import type { Store } from "../store.ts";
import type { Appended, AppendRefused, LogEntry, OutputItem } from "../ports/transcript-store.ts";
import type { Change, CommitRefused, Committed, StoredSession } from "../ports/session-store.ts";
import type { Fence } from "../ports/node-store.ts";

export { COMPLETED, HANDED, NOON };

export interface Sent {
  readonly messageId: string;
  readonly runId: string;
}

type Extras = Pick<Change, "contents" | "messages" | "fence" | "agentCursor" | "remember">;
/** A command without its time. The driver's clock advances by one second per command. */
type Timeless<C extends Command = Command> = C extends Command ? Omit<C, "at"> : never;

/** Drives one session as the runtime does: load, decide, commit, and repeat after a conflict. */
export interface SessionDriver {
  readonly id: string;
  /** The time of the last command. */
  readonly now: number;
  /** Throws when the kernel refuses. */
  perform(command: Timeless, extras?: Extras): Promise<Committed>;
  /** Like `perform`, but returns a refusal of the store, except a conflict. */
  attempt(command: Timeless, extras?: Extras): Promise<Committed | CommitRefused>;
  send(text: string, more?: Partial<Send>): Promise<Sent>;
  /** A message whose run starts at once. */
  run(text?: string): Promise<Sent>;
  end(sent: Sent, result?: RunResult): Promise<Committed>;
  suspend(sent: Sent, more?: Partial<Suspension>): Promise<Suspension>;
  answer(suspension: Suspension): Promise<Committed>;
  /** Claims the session for a node. Later output carries its fence. */
  claim(node?: string): Promise<Fence>;
  put(sent: Sent, ...items: readonly OutputItem[]): Promise<Appended | AppendRefused>;
  stored(): Promise<StoredSession>;
  messages(): Promise<readonly Message[]>;
  log(after?: number): Promise<readonly LogEntry[]>;
}

export async function beginSession(
  store: Store,
  more: Partial<Create> = {},
  extras: Extras = {},
): Promise<SessionDriver> {
  const { at = NOON, ...given } = more;
  const session = driveSession(store, { id: more.id ?? randomUUID(), now: at - SECOND_MS });
  await session.perform(createCommand({ id: session.id, ...given }), extras);
  return session;
}

/** Continues an existing session, in any store. */
export function driveSession(
  store: Store,
  start: { readonly id: string; readonly now: number; readonly fence?: Fence },
): SessionDriver {
  const { id } = start;
  let now = start.now;
  let fence: Fence = start.fence ?? { node: "nobody", epoch: 0 };

  const attempt: SessionDriver["attempt"] = async (timeless, extras = {}) => {
    now += SECOND_MS;
    const command: Command = { ...timeless, at: now };
    for (let conflicts = 0; conflicts < 1000; conflicts += 1) {
      const before = await loadOrNull(store, id);
      const decision = decide(before?.session ?? null, command);
      if (!decision.ok) throw new Error(`${command.type} was refused: ${decision.refusal.code}`);
      const committed = await store.commit({ before, events: decision.events, ...extras });
      if (committed.ok || committed.refused !== "conflict") return committed;
    }
    throw new Error(`${command.type} came to nothing but conflicts`);
  };

  const perform: SessionDriver["perform"] = async (command, extras) => {
    const committed = await attempt(command, extras);
    if (!committed.ok) throw new Error(`${command.type} was ${committed.refused}`);
    return committed;
  };

  const send: SessionDriver["send"] = async (text, more = {}) => {
    const command = sendCommand(more);
    const { messageId, runId } = command;
    await perform(command, { contents: { [messageId]: textOf(text) } });
    return { messageId, runId };
  };

  return {
    id,
    get now() {
      return now;
    },
    attempt,
    perform,
    send,
    run: (text = "Go on.") => send(text, { start: HANDED }),
    end: ({ runId }, result = COMPLETED) =>
      perform({ type: "end-run", runId, result, usage: null }),
    suspend: async ({ runId }, more = {}) => {
      const suspension = ready.suspension(randomUUID(), { createdAt: now + SECOND_MS, ...more });
      await perform({ type: "suspend-run", runId, suspension });
      return suspension;
    },
    answer: ({ id: suspensionId }) =>
      perform({ type: "answer", suspensionId, answer: { option: "allow" }, by: "ada" }),
    claim: async (node = "node-1") => {
      const claim = await store.claim({ sessionId: id, node });
      if (!claim.ok) throw new Error(`the session is ${claim.owner}'s`);
      fence = { node, epoch: claim.epoch };
      return fence;
    },
    put: ({ runId }, ...items) => {
      now += SECOND_MS;
      return store.append({ sessionId: id, runId, at: now, fence, items, durable: false });
    },
    stored: async () => {
      const stored = await loadOrNull(store, id);
      if (stored === null) throw new Error("there is no such session");
      return stored;
    },
    messages: () => store.readMessages({ sessionId: id }),
    log: (after = 0) => store.readEvents({ sessionId: id, after, limit: 1000 }),
  };
}

const SECOND_MS = 1000;

/** A complete text in its stored form. */
export function textOf(text: string): MessageContent {
  return { type: "text", text, partial: false };
}

/** An incomplete text. */
export function growingText(text: string): MessageContent {
  return { type: "text", text, partial: true };
}

export function textIn({ text }: MessageContent): string {
  return typeof text === "string" ? text : "";
}

/** The first text of an agent's message. */
export function opening(id: string, text = ""): OutputItem {
  return {
    put: "message",
    message: { id, role: "agent", content: growingText(text) },
    complete: false,
  };
}

export function createCommand(more: Partial<Create> = {}): Timeless<Create> {
  const { at: _, ...command } = ready.create({ id: randomUUID(), repoId: null, ...more });
  return command;
}

export function sendCommand(more: Partial<Send> = {}): Timeless<Send> {
  const { at: _, ...command } = ready.send(0, {
    messageId: randomUUID(),
    runId: randomUUID(),
    ...more,
  });
  return command;
}

async function loadOrNull(store: Store, sessionId: string): Promise<StoredSession | null> {
  const loaded = await store.load(sessionId);
  if (loaded.found === "unreadable") throw new Error(`unreadable: ${loaded.reason}`);
  return loaded.found === "session" ? loaded.stored : null;
}
