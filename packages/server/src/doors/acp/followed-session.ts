import path from "node:path";
import {
  methods,
  RequestError,
  type AgentContext,
  type ClientCapabilities,
  type ContentBlock,
  type PromptResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { applySuspension, type Client, type StreamEvent } from "@holdfast/client";
import type { Message, OpenSuspension, Session, WholeSession } from "@holdfast/protocol";
import { createAsking } from "./asking.ts";
import { choicesOf, type Choices } from "./config-options.ts";
import { persist, type Persisting } from "../persist.ts";
import { createPrompts } from "./prompts.ts";
import { RPC } from "./rpc-error.ts";
import { textBlock } from "./updates/blocks.ts";
import { createTranslator } from "./updates/translator.ts";
import { usageUpdate } from "./updates/usage-update.ts";

/** A session that is open in an editor: everything that happens in it is sent there. */
export interface FollowedSession {
  readonly id: string;
  /** Sends the whole conversation. */
  replay(): Promise<void>;
  /** Sends what happens from now on, and asks what is open. Returns at once. */
  begin(): void;
  prompt(prompt: readonly ContentBlock[]): Promise<PromptResponse>;
  /** Stops the work. Returns when the editor's prompts have ended. */
  stop(): Promise<void>;
  cancel(): Promise<void>;
  /** The choices of the editor's menus, read again. */
  choices(): Promise<Choices>;
  /** Ends only the connection of the editor to the session. */
  close(): void;
}

export interface FollowOptions {
  readonly client: Client;
  readonly editor: Pick<AgentContext, "request" | "notify">;
  readonly capabilities: ClientCapabilities;
  /** The last messages, and the position from which events continue them. */
  readonly session: WholeSession;
  readonly persisting: Persisting;
  readonly newKey: () => string;
  readonly onError: (error: unknown) => void;
}

export function followSession(options: FollowOptions): FollowedSession {
  const { client, editor, capabilities, session: first } = options;
  const { id } = first;
  const controller = new AbortController();
  const { signal } = controller;
  const persisting = {
    ...options.persisting,
    signal: AbortSignal.any([signal, options.persisting.signal]),
  };
  /** What the end of the connection interrupts is no error. */
  const onError = (error: unknown): void => {
    if (!persisting.signal.aborted) options.onError(error);
  };
  const prompts = createPrompts({
    sessions: client.sessions,
    sessionId: id,
    signal: persisting.signal,
    newKey: options.newKey,
  });
  let session: Session = first;
  const translator = createTranslator({
    terminals: capabilities._meta?.["terminal_output"] === true,
    absolute: (name) => path.resolve(session.worktree?.path ?? first.repo?.path ?? "/", name),
    isReported: prompts.isReported,
  });
  let open: readonly OpenSuspension[] = first.suspensions;
  let sentChoices: Choices | null = null;

  const notify = async (update: SessionUpdate): Promise<void> => {
    if (!signal.aborted)
      await editor.notify(methods.client.session.update, { sessionId: id, update });
  };
  const notifyAll = async (updates: readonly SessionUpdate[]): Promise<void> => {
    for (const update of updates) await notify(update);
  };
  const say = (text: string): void =>
    void notify({ sessionUpdate: "agent_message_chunk", content: textBlock(text) }).catch(onError);
  const asking = createAsking({
    sessionId: id,
    editor,
    capabilities,
    toolOf: translator.tool,
    say,
    onError,
    answer: async (suspensionId, answer) => {
      const idempotencyKey = options.newKey();
      await persist(
        () => client.sessions.answer(id, { suspensionId, answer }, { idempotencyKey, signal }),
        persisting,
      );
    },
  });

  const readChoices = async (): Promise<Choices> => {
    const [providers, offered] = await persist(
      () => Promise.all([client.providers({ signal }), client.sessions.options(id, { signal })]),
      persisting,
    );
    return choicesOf(providers, offered, capabilities);
  };

  /** Sends the choices that differ from those the editor has. */
  const sendChoices = async (): Promise<void> => {
    const now = await readChoices();
    const before = sentChoices;
    sentChoices = now;
    if (!isSame(before?.configOptions, now.configOptions))
      await notify({ sessionUpdate: "config_option_update", configOptions: now.configOptions });
    const mode = now.modes?.currentModeId;
    if (mode !== undefined && mode !== before?.modes?.currentModeId && before !== null)
      await notify({ sessionUpdate: "current_mode_update", currentModeId: mode });
    if (!isSame(before?.commands ?? [], now.commands))
      await notify({ sessionUpdate: "available_commands_update", availableCommands: now.commands });
  };

  const sessionChanged = async (now: Session): Promise<void> => {
    const before = session;
    session = now;
    if (before.title !== now.title)
      await notify({
        sessionUpdate: "session_info_update",
        title: now.title,
        updatedAt: now.lastActiveAt,
      });
    if (!isSame(settingsOf(before), settingsOf(now))) await sendChoices();
  };

  const handle = async (event: StreamEvent): Promise<void> => {
    switch (event.type) {
      case "message": {
        const { data } = event;
        // The editor shows its own prompts itself.
        if (data.role === "user" && (await prompts.isOwn(data.id))) return;
        return notifyAll(translator.message(data));
      }
      case "delta":
        return notifyAll(translator.delta(event.data.messageId, event.data.text));
      case "run": {
        const usage = usageUpdate(event.data.usage);
        if (usage !== null) await notify(usage);
        prompts.changed(event.data);
        // An agent that was started has said what it offers.
        if (event.data.endedAt !== null) void sendChoices().catch(onError);
        return;
      }
      case "suspension":
        open = applySuspension(open, event.data);
        return asking.update(open);
      case "session":
        return sessionChanged(event.data);
      case "deleted":
        return prompts.fail(new RequestError(RPC.resourceNotFound, "The session was deleted."));
      case "queue":
      case "phase":
      case "reset":
        return;
      default:
        return event satisfies never;
    }
  };

  const follow = async (): Promise<void> => {
    try {
      for await (const event of client.sessions.events(id, { after: first.lastEventId, signal }))
        await handle(event);
    } catch (error) {
      if (signal.aborted) return;
      prompts.fail(error instanceof Error ? error : new Error(String(error)));
      onError(error);
    }
  };

  return {
    id,
    async replay() {
      const rewound = new Set(first.rewoundRuns);
      for await (const message of historyOf(client, first, persisting)) {
        if (message.runId !== null && rewound.has(message.runId)) continue;
        await notifyAll(translator.message(message));
      }
      if (first.title !== null)
        await notify({
          sessionUpdate: "session_info_update",
          title: first.title,
          updatedAt: first.lastActiveAt,
        });
    },
    begin() {
      for (const message of first.messages) translator.assume(message);
      void follow();
      asking.update(open);
      void sendChoices().catch(onError);
    },
    prompt: (prompt) => prompts.send(prompt),
    async stop() {
      await prompts.cancel();
      await prompts.settled();
    },
    cancel: () => prompts.cancel(),
    async choices() {
      sentChoices = { ...(await readChoices()), commands: sentChoices?.commands ?? [] };
      return sentChoices;
    },
    close() {
      asking.close();
      controller.abort();
    },
  };
}

function settingsOf({ next, mode, options }: Session): unknown {
  return [next, mode, options];
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** Every message once, in pages: a long conversation is never in memory as a whole. */
async function* historyOf(
  { sessions }: Client,
  { id, messages, earlier }: WholeSession,
  persisting: Persisting,
): AsyncGenerator<Message, void, undefined> {
  const [oldest] = messages;
  let after = 0;
  while (earlier > 0 && oldest !== undefined) {
    const position = after;
    const page = await persist(() => sessions.messages(id, { after: position }), persisting);
    const older = page.messages.filter(({ seq }) => seq < oldest.seq);
    yield* older;
    if (older.length < page.messages.length || page.nextAfter <= after) break;
    after = page.nextAfter;
  }
  yield* messages;
}
