import { textOfBlock } from "../acp/translate/content-block.ts";
import { looseText, type Loose } from "../acp/wire/loose.ts";
import { RPC_CODES, RpcError } from "../acp/wire/rpc-error.ts";
import type { Choice } from "../provider-description.ts";
import {
  addBriefing,
  addMessage,
  newMemory,
  type Memory,
  type MemoryFolder,
} from "./demo-memory.ts";
import { play } from "./scenes/play.ts";
import { openStage, type StagePeer } from "./stage.ts";
import { DEMO_COMMANDS, understand } from "./understand.ts";

interface DemoSession {
  memory: Memory;
  readonly cwd: string;
  /** Cancels the current prompt; null if there is none. */
  cancel: AbortController | null;
}

interface DemoChoice extends Choice {
  readonly description: string;
}

const MODES: readonly DemoChoice[] = [
  { id: "ask", name: "Ask", description: "Asks before it changes or runs anything" },
  { id: "auto", name: "Auto", description: "Never asks" },
];
const MODELS: readonly DemoChoice[] = [
  { id: "demo-fast", name: "Demo, fast", description: "Answers at once" },
  { id: "demo-thoughtful", name: "Demo, thoughtful", description: "Takes its time" },
];
const MAX_SESSIONS = 20;
const CONTEXT_SIZE = 32_000;

/** The sessions of one demo process. The methods handle the protocol's session requests. */
export function createDemoSessions(folder: MemoryFolder, pace: number, peer: () => StagePeer) {
  const sessions = new Map<string, DemoSession>();

  const find = (params: Loose): DemoSession => {
    const session = sessions.get(idIn(params));
    if (session === undefined)
      throw new RpcError(RPC_CODES.notFound, "The demo agent does not know this session.");
    return session;
  };

  const begin = (memory: Memory, params: Loose): DemoSession => {
    if (sessions.size >= MAX_SESSIONS && !sessions.has(memory.sessionId))
      throw new RpcError(RPC_CODES.internalError, "The demo agent has too many sessions.");
    const session = { memory, cwd: cwdIn(params), cancel: null };
    sessions.set(memory.sessionId, session);
    return session;
  };

  const change = (session: DemoSession, memory: Memory): void => {
    session.memory = memory;
    folder.save(memory);
  };

  const notify = (sessionId: string, update: object): void =>
    peer().notify("session/update", { sessionId, update });

  /** Sent after the reply: the client does not know the session ID before that. */
  const announceCommands = (sessionId: string): void => {
    const availableCommands = DEMO_COMMANDS.map(({ name, description, hint }) => ({
      name,
      description,
      input: hint === null ? null : { hint },
    }));
    setImmediate(() =>
      notify(sessionId, { sessionUpdate: "available_commands_update", availableCommands }),
    );
  };

  return {
    open(params: Loose): object {
      const memory = newMemory();
      change(begin(memory, params), memory);
      announceCommands(memory.sessionId);
      return { sessionId: memory.sessionId, ...optionsOf(memory) };
    },
    load(params: Loose, { replay }: { readonly replay: boolean }): object {
      const memory = folder.load(idIn(params));
      if (memory === null)
        throw new RpcError(RPC_CODES.notFound, "The demo agent does not remember this session.");
      begin(memory, params);
      if (replay) {
        for (const { who, text } of memory.conversation) {
          const content = { type: "text", text };
          notify(memory.sessionId, { sessionUpdate: `${who}_message_chunk`, content });
        }
      }
      announceCommands(memory.sessionId);
      return optionsOf(memory);
    },
    close(params: Loose): object {
      find(params).cancel?.abort();
      sessions.delete(idIn(params));
      return {};
    },
    choose(params: Loose, { mode, model }: Loose): object {
      const session = find(params);
      change(session, {
        ...session.memory,
        mode: choiceIn(MODES, mode, session.memory.mode),
        model: choiceIn(MODELS, model, session.memory.model),
      });
      return { configOptions: optionsOf(session.memory).configOptions };
    },
    async prompt(params: Loose): Promise<object> {
      const session = find(params);
      if (session.cancel !== null)
        throw new RpcError(RPC_CODES.invalidRequest, "The demo agent is busy with another prompt.");
      const cancel = new AbortController();
      session.cancel = cancel;
      try {
        return await answer(session, cancel, textsIn(params));
      } finally {
        session.cancel = null;
      }
    },
    cancel(params: Loose): void {
      sessions.get(idIn(params))?.cancel?.abort();
    },
  };

  async function answer(
    session: DemoSession,
    cancel: AbortController,
    texts: readonly string[],
  ): Promise<object> {
    const { sessionId } = session.memory;
    const request = requestIn(texts, session.memory);
    const isFirst = session.memory.conversation.length === 0;
    if (isFirst) {
      const title = request.replaceAll(/\s+/gu, " ").trim().slice(0, 60);
      notify(sessionId, { sessionUpdate: "session_info_update", title });
      session.memory = { ...session.memory, title };
    }
    const wish = understand(request);
    const briefed = addBriefing(session.memory, texts.slice(0, -1).join("\n\n"));
    const memory = addMessage(briefed, { who: "user", text: texts.at(-1) ?? "" });
    // A crash on request must not be repeated after the restart.
    change(session, { ...memory, unfinished: wish.wish === "crash" ? null : request });

    let answerText = "";
    const stage = openStage({
      peer: peer(),
      cwd: session.cwd,
      signal: cancel.signal,
      memory: () => session.memory,
      change: (changed) => change(session, changed),
      pace,
      onAnswer: (text) => (answerText += text),
    });
    let isCancelled = false;
    try {
      if (isFirst && wish.wish !== "explain") await stage.say(INTRODUCTION);
      if (session.memory.model === "demo-thoughtful" && wish.wish !== "think")
        await stage.think("Let me see what this is about. ");
      await play(stage, wish);
    } catch (error) {
      if (!cancel.signal.aborted) throw error;
      isCancelled = true;
    }
    change(session, {
      ...addMessage(session.memory, { who: "agent", text: answerText }),
      unfinished: null,
    });
    const inputTokens = tokensOf(texts.join(""));
    const outputTokens = tokensOf(answerText);
    const usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
    const used = tokensOf(session.memory.conversation.map(({ text }) => text).join(""));
    const cost = { amount: 0, currency: "USD" };
    notify(sessionId, { sessionUpdate: "usage_update", used, size: CONTEXT_SIZE, cost });
    return { stopReason: isCancelled ? "cancelled" : "end_turn", usage };
  }
}

const INTRODUCTION =
  "This is Holdfast's demo agent: a small program with fixed answers, not a language model.\n\n";

/** The modes and options of a session in the form of the protocol. */
function optionsOf({ mode, model }: Memory): {
  readonly modes: object;
  readonly configOptions: readonly object[];
} {
  const option = (
    id: string,
    name: string,
    currentValue: string,
    choices: readonly DemoChoice[],
  ) => ({
    id,
    name,
    category: id,
    type: "select",
    currentValue,
    options: choices.map(({ id: value, ...rest }) => ({ value, ...rest })),
  });
  return {
    modes: { currentModeId: mode, availableModes: MODES },
    configOptions: [option("mode", "Mode", mode, MODES), option("model", "Model", model, MODELS)],
  };
}

/**
 * The request to work on. After a restart the prompt may only say "continue": then it is the request that was in
 * progress, or the message before it.
 */
function requestIn(texts: readonly string[], { unfinished }: Memory): string {
  const last = texts.at(-1) ?? "";
  if (understand(last).wish !== "go on") return last;
  return unfinished ?? texts.at(-2) ?? last;
}

function textsIn({ prompt }: Loose): readonly string[] {
  if (!Array.isArray(prompt)) throw new RpcError(RPC_CODES.invalidParams, "prompt is required.");
  return prompt.flatMap((block: unknown) => textOfBlock(block) ?? []);
}

function idIn({ sessionId }: Loose): string {
  return looseText(sessionId) ?? "";
}

function cwdIn({ cwd }: Loose): string {
  if (typeof cwd !== "string" || !cwd.startsWith("/"))
    throw new RpcError(RPC_CODES.invalidParams, "cwd must be an absolute path.");
  return cwd;
}

function choiceIn(choices: readonly Choice[], value: unknown, current: string): string {
  if (value === undefined) return current;
  const choice = choices.find(({ id }) => id === value);
  if (choice === undefined)
    throw new RpcError(RPC_CODES.invalidParams, "The demo agent does not offer this choice.");
  return choice.id;
}

/** A rule of thumb: no model counts the tokens. */
function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}
