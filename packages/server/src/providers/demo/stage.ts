import { setImmediate as yieldNow, setTimeout as sleep } from "node:timers/promises";
import type { JsonRpcPeer } from "../acp/wire/json-rpc-peer.ts";
import { looseObject, type Loose } from "../acp/wire/loose.ts";
import type { Memory } from "./demo-memory.ts";

export type StagePeer = Pick<JsonRpcPeer, "notify" | "request">;

/** Everything a scene needs to answer one prompt of one session. */
export interface Stage {
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly memory: Memory;
  change(memory: Memory): void;
  /** Streams text of the answer. */
  say(text: string): Promise<void>;
  think(text: string): Promise<void>;
  update(update: { readonly sessionUpdate: string } & Loose): void;
  /** Announces a tool call. `meta` is left out of a permission request. */
  startTool(call: ToolCall, meta?: Loose): DemoTool;
  pause(ms: number): Promise<void>;
  /** Exits with an error after everything written to stdout has been sent. */
  crash(complaint: string): Promise<never>;
}

type ToolCall = { readonly toolCallId: string } & Loose;

export interface DemoTool {
  update(fields: Loose): void;
  /** Asks for permission, except in mode `auto`. False if it was rejected; then the call has failed. */
  isAllowed(): Promise<boolean>;
}

export interface StageOptions extends Pick<Stage, "cwd" | "signal" | "change"> {
  readonly peer: StagePeer;
  readonly memory: () => Memory;
  /** Factor for all pauses. */
  readonly pace: number;
  readonly onAnswer: (text: string) => void;
}

const CHUNK_PAUSE_MS = { "demo-fast": 12, "demo-thoughtful": 40 };

export function openStage(options: StageOptions): Stage {
  const { peer, cwd, signal, pace, onAnswer } = options;
  const { sessionId } = options.memory();

  const update: Stage["update"] = (change) =>
    peer.notify("session/update", { sessionId, update: change });

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
      if (sessionUpdate === "agent_message_chunk") onAnswer(piece);
      await pause(ms);
    }
  };

  const ask = async (toolCall: ToolCall): Promise<boolean> => {
    if (options.memory().mode === "auto") return true;
    const params = { sessionId, toolCall, options: PERMISSION_OPTIONS };
    const answer = await peer.request("session/request_permission", params, { signal });
    signal.throwIfAborted();
    const outcome = looseObject(looseObject(answer)?.["outcome"]);
    const choice = outcome?.["outcome"] === "selected" ? outcome["optionId"] : null;
    if (choice === "always") {
      options.change({ ...options.memory(), mode: "auto" });
      update({ sessionUpdate: "current_mode_update", currentModeId: "auto" });
    }
    return choice === "allow" || choice === "always";
  };

  const startTool: Stage["startTool"] = (call, meta = {}) => {
    const { toolCallId } = call;
    const patch = (fields: Loose): void =>
      update({ sessionUpdate: "tool_call_update", toolCallId, ...fields });
    update({ sessionUpdate: "tool_call", ...call, ...meta });
    return {
      update: patch,
      isAllowed: async () => {
        const isAllowed = await ask(call);
        if (isAllowed) patch({ status: "in_progress" });
        else patch({ status: "failed", content: textContent("Permission denied.") });
        return isAllowed;
      },
    };
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
    startTool,
    pause,
    async crash(complaint) {
      await new Promise((resolve) => process.stdout.write("", resolve));
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

export function textContent(text: string): readonly object[] {
  return [{ type: "content", content: { type: "text", text } }];
}
