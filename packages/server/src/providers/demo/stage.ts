import { setImmediate as yieldNow, setTimeout as sleep } from "node:timers/promises";
import { type Memory } from "./demo-memory.ts";
import { toFields, type Wire } from "./demo-wire.ts";

/** What a scene has to work with: one prompt of one session. */
export interface Stage {
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly memory: Memory;
  change(memory: Memory): void;
  /** Streams text as an answer. */
  say(text: string): Promise<void>;
  think(text: string): Promise<void>;
  update(update: { readonly sessionUpdate: string } & Readonly<Record<string, unknown>>): void;
  /** False when it was not allowed. In mode `auto` nobody is asked. */
  ask(
    toolCall: { readonly toolCallId: string } & Readonly<Record<string, unknown>>,
  ): Promise<boolean>;
  pause(ms: number): Promise<void>;
  /** Ends this process as a fault would, once all that was said is out. */
  crash(complaint: string): Promise<never>;
}

export interface StageOptions {
  readonly wire: Wire;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly memory: () => Memory;
  readonly change: (memory: Memory) => void;
  /** What all pauses are multiplied with. */
  readonly pace: number;
  readonly onSaid: (text: string) => void;
}

const CHUNK_PAUSE_MS = { "demo-fast": 12, "demo-thoughtful": 40 };

export function openStage(options: StageOptions): Stage {
  const { wire, cwd, signal, pace, onSaid } = options;
  const { sessionId } = options.memory();

  const update: Stage["update"] = (change) =>
    wire.notify("session/update", { sessionId, update: change });

  const pause = async (ms: number): Promise<void> => {
    signal.throwIfAborted();
    if (pace === 0) await yieldNow(undefined, { signal });
    else await sleep(ms * pace, undefined, { signal });
  };

  const stream = async (
    sessionUpdate: "agent_message_chunk" | "agent_thought_chunk",
    text: string,
  ): Promise<void> => {
    const { model } = options.memory();
    const ms = model === "demo-thoughtful" ? CHUNK_PAUSE_MS[model] : CHUNK_PAUSE_MS["demo-fast"];
    for (const piece of text.match(/\S+\s*|\s+/gu) ?? []) {
      update({ sessionUpdate, content: { type: "text", text: piece } });
      if (sessionUpdate === "agent_message_chunk") onSaid(piece);
      await pause(ms);
    }
  };

  return {
    cwd,
    signal,
    get memory() {
      return options.memory();
    },
    change: options.change,
    say: (text) => stream("agent_message_chunk", text),
    think: (text) => stream("agent_thought_chunk", text),
    update,
    async ask(toolCall) {
      if (options.memory().mode === "auto") return true;
      const params = { sessionId, toolCall, options: PERMISSION_OPTIONS };
      const answer = await wire.request("session/request_permission", params, signal);
      signal.throwIfAborted();
      const choice = chosenIn(answer);
      if (choice === "always") {
        options.change({ ...options.memory(), mode: "auto" });
        update({ sessionUpdate: "current_mode_update", currentModeId: "auto" });
      }
      return choice === "allow" || choice === "always";
    },
    pause,
    async crash(complaint) {
      await wire.flush();
      await new Promise((resolve) => process.stderr.write(`${complaint}\n`, resolve));
      process.exit(1);
    },
  };
}

const PERMISSION_OPTIONS = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "always", name: "Allow everything from now on", kind: "allow_always" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
];

function chosenIn(answer: unknown): unknown {
  const outcome = toFields(toFields(answer)?.["outcome"]);
  return outcome?.["outcome"] === "selected" ? outcome["optionId"] : null;
}
