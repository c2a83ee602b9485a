import { errorText } from "../../domain/error-text.ts";
import type { JsonObject } from "../../domain/json.ts";
import { StorageFault } from "../../storage/fault.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { dataSettings, type DataFlags, type Environment } from "../settings/settings.ts";
import { jsonLine } from "../terminal/neutralise.ts";
import { readHookInput, type HookStdin, type InputRefusal } from "./hook-input.ts";
import { startLimit } from "./hook-limit.ts";
import { appendHookLog, type HookLogEntry } from "./hook-log.ts";

export interface HookOptions {
  readonly flags: DataFlags;
  readonly env: Environment;
  /** Usually the process, whose `stdin` getter may throw. */
  readonly stdio: { readonly stdin: HookStdin; readonly stdout: HookStdout };
  readonly clock?: () => number;
  readonly limitMs?: number;
  /** The share of a processor that this process gets, from 1 down to 0; measured by default. */
  readonly share?: () => number;
  /** Ends the process although work is still pending. */
  readonly leave?: () => void;
}

export interface HookStdout {
  write(text: string, done: (error?: Error | null) => void): unknown;
  on(event: "error", listener: () => void): unknown;
}

/** The surroundings in which a hook decides. */
export interface HookContext {
  readonly flags: DataFlags;
  readonly env: Environment;
  readonly clock: () => number;
  /** How long to wait for another process that holds the database. */
  readonly busyTimeoutMs: number;
}

export interface HookAnswer {
  readonly output: Readonly<Record<string, unknown>>;
  readonly log: Pick<HookLogEntry, "event" | "agentId" | "sessionId" | "decision" | "reason">;
}

export interface Hook {
  readonly name: string;
  answer(input: JsonObject, place: HookContext): Promise<HookAnswer>;
  /** The answer after a failure; `input` is null when it could not be read. */
  failed(failure: HookFailure, input: JsonObject | null): HookAnswer;
}

export interface HookFailure {
  readonly reason: string;
  /** A sentence for people. */
  readonly error: string;
}

export const HOOK_LIMIT_MS = 5_000;
/** Reserved for the answer after waiting for a busy database. */
const ANSWER_MS = 500;

/**
 * One call of a hook: JSON in, JSON out, a line in the log. It never throws and its exit code is always 0, so that it
 * never stops its caller.
 */
export async function runHook(
  hook: Hook,
  {
    flags,
    env,
    stdio,
    clock = Date.now,
    limitMs = HOOK_LIMIT_MS,
    share,
    leave = endProcess,
  }: HookOptions,
): Promise<number> {
  const startedAt = performance.now();
  const limit = startLimit(limitMs, share);
  let input: JsonObject | null = null;

  const decide = async (): Promise<HookAnswer> => {
    try {
      const read = await readHookInput(stdio.stdin);
      if (!read.ok)
        return hook.failed({ reason: read.reason, error: SENTENCES[read.reason] }, null);
      input = read.value;
      const busyTimeoutMs = Math.max(ANSWER_MS, limit.leftMs() - ANSWER_MS);
      return await hook.answer(input, { flags, env, clock, busyTimeoutMs });
    } catch (error) {
      return hook.failed(failureOf(error), input);
    }
  };
  const isLate = Symbol("late");
  const result = await Promise.race([decide(), limit.over.then((): typeof isLate => isLate)]);
  limit.stop();
  const answer =
    result === isLate
      ? hook.failed({ reason: "timed_out", error: `No answer within ${limitMs} ms.` }, input)
      : result;

  await say(stdio.stdout, jsonLine(answer.output));
  log(hook, { flags, env, answer, at: clock(), tookMs: performance.now() - startedAt });
  stopReading(stdio);
  if (result === isLate) leave();
  return EXIT.done;
}

const SENTENCES: Readonly<Record<InputRefusal, string>> = {
  input_empty: "stdin is empty: a hook reads a JSON object from it.",
  input_not_json: "The input on stdin is not JSON.",
  input_not_object: "The input on stdin is not a JSON object.",
  input_too_deep: "The input on stdin is nested too deeply.",
  input_too_large: "The input on stdin is larger than 1 MiB.",
  input_unreadable: "The input on stdin could not be read.",
};

function failureOf(error: unknown): HookFailure {
  const sentence = errorText(error);
  if (error instanceof StorageFault) return { reason: error.code, error: sentence };
  if (error instanceof CommandFailure) return { reason: "settings_invalid", error: sentence };
  return { reason: "hook_failed", error: sentence };
}

/** The caller may have closed the pipe. */
async function say(stdout: HookStdout, text: string): Promise<void> {
  stdout.on("error", () => {});
  await new Promise<void>((resolve) => {
    stdout.write(text, () => resolve());
  });
}

function log(
  { name }: Hook,
  {
    flags: { data },
    env: { HOLDFAST_DATABASE_URL: _, ...env },
    answer,
    at,
    tookMs,
  }: Pick<HookOptions, "flags" | "env"> & {
    readonly answer: HookAnswer;
    readonly at: number;
    readonly tookMs: number;
  },
): void {
  const { dataFolder } = dataSettings(data === undefined ? {} : { data }, env);
  appendHookLog(dataFolder, { at, hook: name, ...answer.log, tookMs });
}

/** An open stdin would keep the process alive. */
function stopReading(stdio: HookOptions["stdio"]): void {
  try {
    stdio.stdin.destroy?.();
  } catch {
    // There is no stdin.
  }
}

function endProcess(): void {
  process.exit(EXIT.done);
}
