/**
 * What the scripted agent is told to do, step by step.
 *
 * A step is a line `@name {json}` of a prompt; `script(say("hello"), ask({…}))` writes such lines. Only the last text
 * block of a prompt is read for steps, so that a briefing which quotes older prompts does nothing. Other lines are
 * remembered and otherwise ignored. A prompt without steps is answered with the agent's `otherwise` steps, which are
 * an echo unless it was configured differently.
 *
 * The same steps can be placed at points outside a prompt: see `ScriptedOptions.at`.
 */
export type Step =
  /** A chunk of the answer. Shorthand in text: `@say hello`. */
  | { readonly step: "say"; readonly text: string; readonly messageId?: string }
  | { readonly step: "think"; readonly text: string; readonly messageId?: string }
  /** Says `echo: ` and the whole prompt, without its steps. */
  | { readonly step: "echo" }
  /** Says what users said in this agent's own session before, `recall: a | b`; `recall: nothing` when it knows nothing. */
  | { readonly step: "recall" }
  /** Says what it finds about itself: `cwd`, `pid`, names of all its variables, one variable, its mode and model. */
  | {
      readonly step: "tell";
      readonly what: "cwd" | "pid" | "variables" | "variable" | "mode" | "model";
      readonly name?: string;
    }
  /** Chunks of `<number>:<monotonic nanoseconds>` and a space, to measure how long they take to arrive. */
  | { readonly step: "stamp"; readonly count: number; readonly everyMs: number }
  /** Many chunks of `text`: `perSecond` of them for `seconds`, or `count` as fast as the pipe takes them. */
  | {
      readonly step: "flood";
      readonly text?: string;
      readonly count?: number;
      readonly perSecond?: number;
      readonly seconds?: number;
    }
  /** A `session/update` with exactly this `update`. */
  | { readonly step: "update"; readonly update: unknown }
  /** A tool call that begins, and ends with the status given (none: it stays open). */
  | {
      readonly step: "tool";
      readonly id: string;
      readonly title: string;
      readonly kind?: string;
      readonly input?: unknown;
      readonly output?: string;
      readonly ends?: "completed" | "failed" | null;
    }
  /** Asks for permission, waits, and says `answer: <optionId>` or `answer: cancelled`. */
  | ({ readonly step: "ask" } & Ask)
  /** Asks all of these at once, waits for all, and says the answers in order, `answers: a, b`. */
  | { readonly step: "ask-all"; readonly asks: readonly Ask[] }
  /** Sends the client a request it cannot know and says `<method>: <error code>` (or `result`). */
  | { readonly step: "request"; readonly method: string; readonly params?: unknown }
  /** Starts the first MCP server that came with the session, calls a tool, and says `mcp: <text>` or `mcp error: <text>`. */
  | { readonly step: "mcp"; readonly tool: string; readonly args?: unknown }
  /** A notification of any kind. */
  | { readonly step: "notify"; readonly method: string; readonly params?: unknown }
  /** These bytes on stdout, as they are. */
  | { readonly step: "raw"; readonly text: string }
  /** A chunk written in unusual pieces: half a line and then the rest, inside characters, byte by byte. */
  | {
      readonly step: "pieces";
      readonly text: string;
      readonly how: "halves" | "characters" | "bytes";
      readonly pauseMs?: number;
    }
  /** One line of at least this many bytes, a well-formed chunk. */
  | { readonly step: "huge"; readonly bytes: number }
  /** An update whose JSON is nested this deep. */
  | { readonly step: "deep"; readonly depth: number }
  /** Updates of kinds nobody knows, known ones with wrong fields, and updates that are no objects. */
  | { readonly step: "odd" }
  /** Frames that are JSON and not JSON-RPC: arrays, numbers, no version, an id of a wrong type, both result and error. */
  | { readonly step: "frames" }
  /** A chunk of another session than the client's. */
  | { readonly step: "stranger"; readonly text: string }
  /** A result for a request nobody made. */
  | { readonly step: "stray-result" }
  /** The prompt is answered twice. */
  | { readonly step: "double-result" }
  /** A chunk sent this long after the prompt was answered. */
  | { readonly step: "late"; readonly text: string; readonly afterMs: number }
  /** Ends the prompt now with an error; with `times`, only the first so many times, and goes on after that. */
  | {
      readonly step: "fail";
      readonly code: number;
      readonly message?: string;
      readonly data?: unknown;
      readonly times?: number;
      /** Counts apart from other `fail` steps. */
      readonly key?: string;
    }
  /** Ends the prompt now. */
  | { readonly step: "stop"; readonly stopReason: string; readonly usage?: unknown }
  /** Says nothing more and does not answer; a cancel still ends it. */
  | { readonly step: "silent" }
  /** From now on: cancels, SIGTERM or the end of stdin have no effect. */
  | { readonly step: "ignore"; readonly what: readonly ("cancel" | "sigterm" | "eof")[] }
  /** Starts a process that sleeps, in this process group or in a session of its own, and says `child: <pid>`. */
  | {
      readonly step: "child";
      readonly how: "group" | "setsid";
      readonly seconds?: number;
      /** It ignores SIGTERM and SIGHUP. */
      readonly stubborn?: boolean;
      /** It keeps the agent's stderr open, so that this does not end with the agent. */
      readonly holdsStderr?: boolean;
    }
  /** Ends the process: with an exit code, or by a signal to itself. */
  | {
      readonly step: "exit";
      readonly code?: number;
      readonly signal?: string;
      readonly stderr?: string;
    }
  | { readonly step: "stderr"; readonly text: string }
  /** Closes stdout and lives on. */
  | { readonly step: "close-stdout" }
  /** Reads nothing from stdin any more, for so long or for ever. */
  | { readonly step: "deaf"; readonly forMs?: number }
  /** A pause; a cancel ends it. Shorthand in text: `@wait 50`. */
  | { readonly step: "wait"; readonly ms: number }
  /** Waits until this file exists: how a test decides what happens next. */
  | { readonly step: "wait-for"; readonly file: string }
  /** Does these steps beside the others when this file appears, also after the prompt's end; an end among them is the prompt's. */
  | { readonly step: "meanwhile"; readonly when: string; readonly steps: readonly Step[] }
  /** Runs a command of the shell in the working folder, and says what it wrote. */
  | { readonly step: "shell"; readonly command: string }
  /** Creates or replaces a file; a relative path is in the working folder. */
  | { readonly step: "write"; readonly file: string; readonly text: string };

export interface Ask {
  readonly id: string;
  readonly title: string;
  readonly kind?: string;
  readonly input?: unknown;
  readonly options?: readonly {
    readonly optionId: string;
    readonly name: string;
    readonly kind: string;
  }[];
  /** Done when an option is chosen whose kind allows it. */
  readonly allowed?: readonly Step[];
  /** Withdraws the request by `$/cancel_request` after so long, and says `answer: withdrawn`. */
  readonly withdrawAfterMs?: number;
  /** The same, when this file appears. */
  readonly withdrawWhen?: string;
  /** Does not wait for the answer, nor say it. */
  readonly isLeft?: boolean;
  /** Withdraws it at a cancel instead of waiting for the client to answer. */
  readonly impatient?: boolean;
}

export const DEFAULT_OPTIONS = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
] as const;

/** A prompt's text that makes the scripted agent do these steps. */
export function script(...steps: readonly Step[]): string {
  return steps.map(({ step, ...rest }) => `@${step} ${JSON.stringify(rest)}`).join("\n");
}

export const say = (text: string, messageId?: string): Step => ({
  step: "say",
  text,
  ...(messageId === undefined ? {} : { messageId }),
});
export const think = (text: string): Step => ({ step: "think", text });
export const echo = (): Step => ({ step: "echo" });
export const recall = (): Step => ({ step: "recall" });
export const tell = (what: Extract<Step, { step: "tell" }>["what"], name?: string): Step => ({
  step: "tell",
  what,
  ...(name === undefined ? {} : { name }),
});
export const stamp = (count: number, everyMs: number): Step => ({ step: "stamp", count, everyMs });
export const flood = (options: Omit<Extract<Step, { step: "flood" }>, "step">): Step => ({
  step: "flood",
  ...options,
});
export const update = (value: unknown): Step => ({ step: "update", update: value });
export const tool = (options: Omit<Extract<Step, { step: "tool" }>, "step">): Step => ({
  step: "tool",
  ...options,
});
export const ask = (options: Ask): Step => ({ step: "ask", ...options });
export const askAll = (...asks: readonly Ask[]): Step => ({ step: "ask-all", asks });
export const request = (method: string, params?: unknown): Step => ({
  step: "request",
  method,
  params,
});
export const mcp = (tool: string, args: unknown = {}): Step => ({ step: "mcp", tool, args });
export const notify = (method: string, params?: unknown): Step => ({
  step: "notify",
  method,
  params,
});
export const raw = (text: string): Step => ({ step: "raw", text });
export const noise = (text: string): Step => raw(`${text}\n`);
export const pieces = (options: Omit<Extract<Step, { step: "pieces" }>, "step">): Step => ({
  step: "pieces",
  ...options,
});
export const huge = (bytes: number): Step => ({ step: "huge", bytes });
export const deep = (depth: number): Step => ({ step: "deep", depth });
export const odd = (): Step => ({ step: "odd" });
export const frames = (): Step => ({ step: "frames" });
export const stranger = (text: string): Step => ({ step: "stranger", text });
export const strayResult = (): Step => ({ step: "stray-result" });
export const doubleResult = (): Step => ({ step: "double-result" });
export const late = (text: string, afterMs: number): Step => ({ step: "late", text, afterMs });
export const fail = (options: Omit<Extract<Step, { step: "fail" }>, "step">): Step => ({
  step: "fail",
  ...options,
});
export const stop = (stopReason: string, usage?: unknown): Step => ({
  step: "stop",
  stopReason,
  ...(usage === undefined ? {} : { usage }),
});
export const silent = (): Step => ({ step: "silent" });
export const ignore = (...what: readonly ("cancel" | "sigterm" | "eof")[]): Step => ({
  step: "ignore",
  what,
});
export const child = (options: Omit<Extract<Step, { step: "child" }>, "step">): Step => ({
  step: "child",
  ...options,
});
export const exit = (options: Omit<Extract<Step, { step: "exit" }>, "step"> = {}): Step => ({
  step: "exit",
  ...options,
});
export const stderr = (text: string): Step => ({ step: "stderr", text });
export const closeStdout = (): Step => ({ step: "close-stdout" });
export const deaf = (forMs?: number): Step => ({
  step: "deaf",
  ...(forMs === undefined ? {} : { forMs }),
});
export const wait = (ms: number): Step => ({ step: "wait", ms });
export const waitFor = (file: string): Step => ({ step: "wait-for", file });
export const meanwhile = (when: string, ...steps: readonly Step[]): Step => ({
  step: "meanwhile",
  when,
  steps,
});
export const shell = (command: string): Step => ({ step: "shell", command });
export const write = (file: string, text = ""): Step => ({ step: "write", file, text });

/** The steps in a prompt's text, and the text without them. */
export function readScript(text: string): {
  readonly steps: readonly Step[];
  readonly rest: string;
} {
  const lines = text.split("\n");
  return {
    steps: lines.flatMap((line) => readStep(line) ?? []),
    rest: lines
      .filter((line) => readStep(line) === null)
      .join("\n")
      .trim(),
  };
}

function readStep(line: string): Step | null {
  const match = /^@([a-z-]+)(?:\s+(.*))?$/s.exec(line.trim());
  if (match === null) return null;
  const [, step = "", rest = ""] = match;
  if (!STEP_NAMES.has(step)) return null;
  return { step, ...argumentsOf(rest) } as Step;
}

function argumentsOf(rest: string): object {
  if (rest.startsWith("{")) return JSON.parse(rest) as object;
  if (rest === "") return {};
  return /^\d+$/.test(rest) ? { ms: Number(rest) } : { text: rest };
}

/** Other lines that begin like a step are text. */
const STEP_NAMES: ReadonlySet<string> = new Set<Step["step"]>([
  "say",
  "think",
  "echo",
  "recall",
  "tell",
  "stamp",
  "flood",
  "update",
  "tool",
  "ask",
  "ask-all",
  "request",
  "mcp",
  "notify",
  "raw",
  "pieces",
  "huge",
  "deep",
  "odd",
  "frames",
  "stranger",
  "stray-result",
  "double-result",
  "late",
  "fail",
  "stop",
  "silent",
  "ignore",
  "child",
  "exit",
  "stderr",
  "close-stdout",
  "deaf",
  "wait",
  "wait-for",
  "meanwhile",
  "shell",
  "write",
]);
