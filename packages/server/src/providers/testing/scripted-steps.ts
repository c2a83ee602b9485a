import { spawn, spawnSync } from "node:child_process";
import { closeSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { DEFAULT_OPTIONS, type Ask, type Step } from "./script.ts";
import { askPermission, fileAppears } from "./scripted-ask.ts";
import { elicitInput } from "./scripted-elicit.ts";
import { giveAway, knownSecrets } from "./scripted-leak.ts";
import type { Memory } from "./scripted-memory.ts";
import { callTool, type McpServerGiven } from "./scripted-mcp.ts";
import { badFrames, deepLine, oddUpdates } from "./scripted-oddities.ts";
import type { Settings } from "./scripted-settings.ts";
import type { Wire } from "./scripted-wire.ts";

/** The context of the steps of a prompt, or of a point outside a prompt. */
export interface Stage {
  readonly wire: Wire;
  readonly memory: Memory;
  readonly sessionId: string;
  /** The prompt without its steps; empty outside a prompt. */
  readonly prompt: string;
  /** Earlier messages of users in the session. */
  readonly heard: readonly string[];
  readonly signal: AbortSignal;
  /** From the client. */
  readonly mcpServers: readonly McpServerGiven[];
  readonly settings: Settings;
  readonly ignores: Set<string>;
  /** Actions to run after the reply to the prompt. */
  readonly afterwards: (() => void)[];
  /** Replies to the prompt now, unless it has a reply. */
  readonly endNow: (ending: Ending) => void;
  /** The text it sent, for its memory. */
  readonly spoken: string[];
}

/** The reply to a prompt; null from a step means: continue with the next step. */
export type Ending =
  | { readonly result: object; readonly twice?: boolean }
  | {
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
    };

export async function performSteps(stage: Stage, steps: readonly Step[]): Promise<Ending | null> {
  let twice = false;
  for (const step of steps) {
    stage.signal.throwIfAborted();
    if (step.step === "double-result") twice = true;
    const ending = await perform(stage, step);
    if (ending !== null) return ending;
  }
  return twice ? { result: { stopReason: "end_turn" }, twice } : null;
}

async function perform(stage: Stage, step: Step): Promise<Ending | null> {
  const { wire, signal } = stage;
  switch (step.step) {
    case "say":
      speak(stage, step.text, step.messageId);
      return null;
    case "think":
      sendUpdate(stage, chunk("agent_thought_chunk", step.text, step.messageId));
      return null;
    case "echo":
      speak(stage, `echo: ${stage.prompt}`);
      return null;
    case "recall": {
      speak(stage, `recall: ${stage.heard.join(" | ") || "nothing"}`);
      return null;
    }
    case "tell":
      speak(stage, tellOf(stage, step));
      return null;
    case "choose":
      stage.settings.set(step.id, step.value);
      sendUpdate(stage, stage.settings.announce(step.id));
      return null;
    case "stamp":
      for (let number = 0; number < step.count; number += 1) {
        speak(stage, `${number}:${process.hrtime.bigint()} `);
        await pause(step.everyMs, undefined, { signal });
      }
      return null;
    case "flood":
      await flood(stage, step);
      return null;
    case "update":
      sendUpdate(stage, step.update);
      return null;
    case "tool":
      sendTool(stage, step);
      return null;
    case "ask":
      if (step.isLeft === true) void askPermission(stage, step);
      else return askAndAct(stage, step);
      return null;
    case "ask-all": {
      const answers = await Promise.all(step.asks.map((one) => askPermission(stage, one)));
      speak(stage, `answers: ${answers.join(", ")}`);
      return null;
    }
    case "elicit": {
      const replied = elicitInput(stage, step);
      if (step.isLeft !== true) speak(stage, `elicited: ${await replied}`);
      return null;
    }
    case "elicit-all": {
      const replies = await Promise.all(step.asks.map((one) => elicitInput(stage, one)));
      speak(stage, `elicited: ${replies.join(" | ")}`);
      return null;
    }
    case "request": {
      const { error } = await unlessAborted(wire.ask(step.method, step.params).answer, signal);
      speak(stage, `${step.method}: ${error?.code ?? "result"}`);
      return null;
    }
    case "mcp": {
      const { tool, args = {}, server: name } = step;
      const server = stage.mcpServers.find((each) => name === undefined || each.name === name);
      speak(stage, server === undefined ? "mcp: none" : await callTool(server, { tool, args }));
      return null;
    }
    case "leak":
      return leak(stage, step);
    case "notify":
      wire.send({ method: step.method, params: step.params });
      return null;
    case "raw":
      wire.raw(step.text);
      return null;
    case "pieces":
      await sendPieces(stage, step);
      return null;
    case "huge":
      sendUpdate(stage, chunk("agent_message_chunk", "x".repeat(step.bytes)));
      return null;
    case "deep":
      wire.raw(deepLine(stage.sessionId, step.depth));
      return null;
    case "odd":
      for (const odd of oddUpdates) sendUpdate(stage, odd);
      return null;
    case "frames":
      for (const frame of badFrames) wire.raw(`${frame}\n`);
      return null;
    case "stranger":
      wire.send(updateOf("somebody-else", chunk("agent_message_chunk", step.text)));
      return null;
    case "stray-result":
      wire.send({ id: 987_654, result: {} });
      wire.send({ id: "never-asked", error: { code: -32603, message: "never asked" } });
      return null;
    case "double-result":
      return null;
    case "late":
      stage.afterwards.push(() => {
        setTimeout(() => speak(stage, step.text), step.afterMs);
      });
      return null;
    case "fail":
      if (step.times !== undefined && stage.memory.count(step.key ?? "fail") >= step.times)
        return null;
      return {
        error: {
          code: step.code,
          message: step.message ?? "scripted failure",
          ...(step.data === undefined ? {} : { data: step.data }),
        },
      };
    case "stop":
      return {
        result: {
          stopReason: step.stopReason,
          ...(step.usage === undefined ? {} : { usage: step.usage }),
        },
      };
    case "silent":
      await unlessAborted(new Promise<never>(() => {}), signal);
      return null;
    case "ignore":
      for (const what of step.what) stage.ignores.add(what);
      return null;
    case "child":
      speak(stage, `child: ${startChild(step)}`);
      return null;
    case "exit":
      await wire.flushed();
      await leave(step);
      return null;
    case "stderr":
      process.stderr.write(step.text);
      return null;
    case "close-stdout":
      closeSync(1);
      return null;
    case "deaf":
      wire.deaf();
      if (step.forMs !== undefined) setTimeout(() => wire.hear(), step.forMs);
      return null;
    case "wait":
      await pause(step.ms, undefined, { signal });
      return null;
    case "wait-for":
      await fileAppears(step.file, signal);
      return null;
    case "meanwhile":
      void doMeanwhile(stage, step);
      return null;
    case "shell":
      speak(stage, runShell(step.command));
      return null;
    case "write":
      writeFileSync(step.file, step.text);
      return null;
    default:
      step satisfies never;
      speak(stage, `no such step: ${JSON.stringify(step)}`);
      return null;
  }
}

function speak(stage: Stage, text: string, messageId?: string): void {
  stage.spoken.push(text);
  sendUpdate(stage, chunk("agent_message_chunk", text, messageId));
}

function sendUpdate({ wire, sessionId }: Stage, update: unknown): void {
  wire.send(updateOf(sessionId, update));
}

export function updateOf(sessionId: string, update: unknown): object {
  return { method: "session/update", params: { sessionId, update } };
}

export function chunk(sessionUpdate: string, text: string, messageId?: string): object {
  return {
    sessionUpdate,
    content: { type: "text", text },
    ...(messageId === undefined ? {} : { messageId }),
  };
}

function tellOf({ settings }: Stage, { what, name = "" }: Extract<Step, { step: "tell" }>): string {
  switch (what) {
    case "cwd":
      return `cwd: ${process.cwd()}`;
    case "pid":
      return `pid: ${process.pid}`;
    case "variables":
      return `variables: ${Object.keys(process.env).toSorted().join(" ")}`;
    case "variable":
      return `${name}: ${process.env[name] ?? "unset"}`;
    case "mode":
      return `mode: ${settings.mode ?? "none"}`;
    case "model":
      return `model: ${settings.model ?? "none"}`;
    case "option":
      return `${name}: ${settings.value(name) ?? "none"}`;
    default:
      return what satisfies never;
  }
}

async function leak(
  stage: Stage,
  { steps, together = false, first }: Extract<Step, { step: "leak" }>,
): Promise<Ending | null> {
  const secrets = knownSecrets().slice(0, first);
  for (const some of together ? [secrets] : secrets.map((secret) => [secret])) {
    const ending = await performSteps(stage, giveAway(steps, some));
    if (ending !== null) return ending;
  }
  return null;
}

async function flood(
  stage: Stage,
  { text = "x", count, perSecond = 1000, seconds = 1 }: Extract<Step, { step: "flood" }>,
): Promise<void> {
  const total = count ?? perSecond * seconds;
  const begun = performance.now();
  for (let sent = 0; sent < total;) {
    stage.signal.throwIfAborted();
    const due =
      count === undefined
        ? Math.floor(((performance.now() - begun) * perSecond) / 1000)
        : sent + 100;
    for (; sent < Math.min(due, total); sent += 1) {
      sendUpdate(stage, chunk("agent_message_chunk", text));
    }
    await stage.wire.flushed();
    await pause(count === undefined ? 1 : 0);
  }
}

function sendTool(
  stage: Stage,
  { id, title, kind = "other", input, output, ends = "completed" }: Extract<Step, { step: "tool" }>,
): void {
  sendUpdate(stage, {
    sessionUpdate: "tool_call",
    toolCallId: id,
    title,
    kind,
    status: "in_progress",
    ...(input === undefined ? {} : { rawInput: input }),
  });
  if (ends === null) return;
  sendUpdate(stage, {
    sessionUpdate: "tool_call_update",
    toolCallId: id,
    status: ends,
    ...(output === undefined
      ? {}
      : { content: [{ type: "content", content: { type: "text", text: output } }] }),
  });
}

async function askAndAct(stage: Stage, ask: Ask): Promise<Ending | null> {
  const answer = await askPermission(stage, ask);
  speak(stage, `answer: ${answer}`);
  const chosen = (ask.options ?? DEFAULT_OPTIONS).find(({ optionId }) => optionId === answer);
  return chosen?.kind.startsWith("allow") === true ? performSteps(stage, ask.allowed ?? []) : null;
}

async function sendPieces(
  stage: Stage,
  { text, how, pauseMs = 5 }: Extract<Step, { step: "pieces" }>,
): Promise<void> {
  stage.spoken.push(text);
  const message = {
    jsonrpc: "2.0",
    ...updateOf(stage.sessionId, chunk("agent_message_chunk", text)),
  };
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  for (const piece of cut(bytes, how)) {
    stage.wire.raw(piece);
    await pause(how === "bytes" ? 0 : pauseMs);
  }
}

function cut(bytes: Buffer, how: "halves" | "characters" | "bytes"): readonly Buffer[] {
  if (how === "bytes") return Array.from(bytes, (byte) => Buffer.from([byte]));
  const inside = bytes.findIndex((byte) => byte >= 0x80);
  const at = how === "characters" && inside >= 0 ? inside + 1 : Math.floor(bytes.length / 2);
  return [bytes.subarray(0, at), bytes.subarray(at)];
}

function startChild({
  how,
  seconds = 60,
  stubborn = false,
  holdsStderr = false,
}: Extract<Step, { step: "child" }>): number {
  const traps = stubborn ? "trap '' TERM HUP; " : "";
  const sleeper = spawn("/bin/sh", ["-c", `${traps}sleep ${seconds} & wait; wait`], {
    stdio: ["ignore", "ignore", holdsStderr ? "inherit" : "ignore"],
    detached: how === "setsid",
  });
  sleeper.unref();
  return sleeper.pid ?? 0;
}

function runShell(command: string): string {
  const { stdout, stderr, error } = spawnSync("/bin/sh", ["-c", command], { encoding: "utf8" });
  if (error !== undefined) throw error;
  return `${stdout}${stderr}`;
}

async function leave({
  code = 0,
  signal,
  stderr,
}: Extract<Step, { step: "exit" }>): Promise<never> {
  if (stderr !== undefined) process.stderr.write(stderr);
  if (signal !== undefined) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal as NodeJS.Signals);
    await pause(1000);
  }
  return process.exit(code);
}

async function doMeanwhile(
  stage: Stage,
  { when, steps }: Extract<Step, { step: "meanwhile" }>,
): Promise<void> {
  const apart = { ...stage, signal: new AbortController().signal };
  await fileAppears(when, apart.signal);
  const ending = await performSteps(apart, steps);
  if (ending !== null) stage.endNow(ending);
}

function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return Promise.race([
    promise,
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
    }),
  ]);
}
