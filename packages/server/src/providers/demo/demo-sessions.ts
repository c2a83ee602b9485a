import { addBriefing, addSaid, newMemory, type Memory, type MemoryFolder } from "./demo-memory.ts";
import { configOptions, DEMO_MODELS, DEMO_MODES, modesOf } from "./demo-options.ts";
import { toFields, WIRE_CODES, WireError, type Fields, type Wire } from "./demo-wire.ts";
import { play } from "./scenes/play.ts";
import { openStage } from "./stage.ts";
import { DEMO_COMMANDS, understand } from "./understand.ts";

/** The sessions of one demo process, by the requests of the protocol that concern them. */
export interface DemoSessions {
  open(params: Fields): object;
  load(params: Fields, options: { readonly replay: boolean }): object;
  close(params: Fields): object;
  choose(params: Fields, values: Fields): object;
  prompt(params: Fields): Promise<object>;
  cancel(params: Fields): void;
}

interface DemoSession {
  memory: Memory;
  readonly cwd: string;
  /** Of the prompt under way. */
  cancel: AbortController | null;
}

const MAX_SESSIONS = 20;
const CONTEXT_SIZE = 32_000;

export function createDemoSessions({
  folder,
  pace,
  wire,
}: {
  readonly folder: MemoryFolder;
  readonly pace: number;
  readonly wire: () => Wire;
}): DemoSessions {
  const sessions = new Map<string, DemoSession>();

  const find = (params: Fields): DemoSession => {
    const session = sessions.get(idIn(params));
    if (session === undefined)
      throw new WireError(WIRE_CODES.notFound, "The demo agent has no such session.");
    return session;
  };

  const begin = (memory: Memory, params: Fields): DemoSession => {
    if (sessions.size >= MAX_SESSIONS && !sessions.has(memory.sessionId))
      throw new WireError(WIRE_CODES.failed, "The demo agent has enough sessions.");
    const session = { memory, cwd: cwdIn(params), cancel: null };
    sessions.set(memory.sessionId, session);
    return session;
  };

  const change = (session: DemoSession, memory: Memory): void => {
    session.memory = memory;
    folder.save(memory);
  };

  const tell = (sessionId: string, update: object): void =>
    wire().notify("session/update", { sessionId, update });

  /** The reply comes first: until then nobody knows whose commands these are. */
  const tellCommands = (sessionId: string): void => {
    const availableCommands = DEMO_COMMANDS.map(({ name, description, hint }) => ({
      name,
      description,
      input: hint === null ? null : { hint },
    }));
    setImmediate(() =>
      tell(sessionId, { sessionUpdate: "available_commands_update", availableCommands }),
    );
  };

  return {
    open(params) {
      const session = begin(newMemory(), params);
      change(session, session.memory);
      const { memory } = session;
      tellCommands(memory.sessionId);
      return {
        sessionId: memory.sessionId,
        modes: modesOf(memory),
        configOptions: configOptions(memory),
      };
    },
    load(params, { replay }) {
      const memory = folder.load(idIn(params));
      if (memory === null)
        throw new WireError(WIRE_CODES.notFound, "The demo agent remembers no such session.");
      begin(memory, params);
      if (replay) {
        for (const { who, text } of memory.said) {
          const content = { type: "text", text };
          tell(memory.sessionId, { sessionUpdate: `${who}_message_chunk`, content });
        }
      }
      tellCommands(memory.sessionId);
      return { modes: modesOf(memory), configOptions: configOptions(memory) };
    },
    close(params) {
      find(params).cancel?.abort();
      sessions.delete(idIn(params));
      return {};
    },
    choose(params, { mode, model }) {
      const session = find(params);
      const chosen = {
        mode: choiceIn(DEMO_MODES, mode, session.memory.mode),
        model: choiceIn(DEMO_MODELS, model, session.memory.model),
      };
      change(session, { ...session.memory, ...chosen });
      return { configOptions: configOptions(session.memory) };
    },
    async prompt(params) {
      const session = find(params);
      if (session.cancel !== null)
        throw new WireError(WIRE_CODES.invalidRequest, "The demo agent does one thing at a time.");
      const cancel = new AbortController();
      session.cancel = cancel;
      try {
        return await answer(session, { cancel, texts: textsIn(params) });
      } finally {
        session.cancel = null;
      }
    },
    cancel(params) {
      sessions.get(idIn(params))?.cancel?.abort();
    },
  };

  async function answer(
    session: DemoSession,
    { cancel, texts }: { cancel: AbortController; texts: readonly string[] },
  ): Promise<object> {
    const { sessionId } = session.memory;
    const request = requestIn(texts, session.memory);
    const isFirst = session.memory.said.length === 0;
    if (isFirst) {
      const title = request.replaceAll(/\s+/gu, " ").trim().slice(0, 60);
      tell(sessionId, { sessionUpdate: "session_info_update", title });
      session.memory = { ...session.memory, title };
    }
    const wish = understand(request);
    const briefed = addBriefing(session.memory, texts.slice(0, -1).join("\n\n"));
    const asked = addSaid(briefed, { who: "user", text: texts.at(-1) ?? "" });
    // A crash that was asked for is not worth going on with.
    change(session, { ...asked, unfinished: wish.wish === "crash" ? null : request });

    let said = "";
    const stage = openStage({
      wire: wire(),
      cwd: session.cwd,
      signal: cancel.signal,
      memory: () => session.memory,
      change: (memory) => change(session, memory),
      pace,
      onSaid: (text) => (said += text),
    });
    let isCancelled = false;
    try {
      if (isFirst && wish.wish !== "explain") await stage.say(WHO);
      if (session.memory.model === "demo-thoughtful" && wish.wish !== "think")
        await stage.think("Let me see what is wanted here. ");
      await play(stage, wish);
    } catch (error) {
      if (!cancel.signal.aborted) throw error;
      isCancelled = true;
    }
    change(session, { ...addSaid(session.memory, { who: "agent", text: said }), unfinished: null });
    const usage = usageOf({ inputs: texts.join(""), outputs: said });
    const used = tokensOf(session.memory.said.map(({ text }) => text).join(""));
    const cost = { amount: 0, currency: "USD" };
    tell(sessionId, { sessionUpdate: "usage_update", used, size: CONTEXT_SIZE, cost });
    return { stopReason: isCancelled ? "cancelled" : "end_turn", usage };
  }
}

const WHO =
  "This is Holdfast's demo agent: a small program with fixed answers, not a language model.\n\n";

/**
 * What to work on. After a restart an agent may be told no more than to go on: that is the request it was working on,
 * or the message that stands before.
 */
function requestIn(texts: readonly string[], { unfinished }: Memory): string {
  const last = texts.at(-1) ?? "";
  if (understand(last).wish !== "go on") return last;
  return unfinished ?? texts.at(-2) ?? last;
}

function textsIn({ prompt }: Fields): readonly string[] {
  if (!Array.isArray(prompt)) throw new WireError(WIRE_CODES.invalidParams, "A prompt is needed.");
  return prompt.flatMap((block: unknown) => {
    const { type, text } = toFields(block) ?? {};
    return type === "text" && typeof text === "string" ? [text] : [];
  });
}

function idIn({ sessionId }: Fields): string {
  return typeof sessionId === "string" ? sessionId : "";
}

function cwdIn({ cwd }: Fields): string {
  if (typeof cwd !== "string" || !cwd.startsWith("/"))
    throw new WireError(WIRE_CODES.invalidParams, "cwd must be an absolute path.");
  return cwd;
}

function choiceIn(choices: readonly { id: string }[], wanted: unknown, current: string): string {
  if (wanted === undefined) return current;
  const choice = choices.find(({ id }) => id === wanted);
  if (choice === undefined)
    throw new WireError(WIRE_CODES.invalidParams, "The demo agent has no such choice.");
  return choice.id;
}

function usageOf({ inputs, outputs }: { inputs: string; outputs: string }): object {
  const [inputTokens, outputTokens] = [tokensOf(inputs), tokensOf(outputs)];
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}

/** As a rule of thumb: there is no model that would count. */
function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}
