/**
 * The steps of the scripted agent.
 *
 * A step is a line `@name {json}` of a prompt; `script(say("hello"), ask({…}))` writes such lines. Only the last text
 * block of a prompt is searched for steps, so that a briefing that quotes older prompts has no effect. Other lines are
 * stored and otherwise ignored. For a prompt without steps the agent runs its `otherwise` steps, by default an echo.
 *
 * The same steps can be placed at points outside a prompt: see `ScriptedOptions.at`.
 */
export type Step =
  /** A chunk of the answer. Shorthand in text: `@say hello`. */
  | { readonly step: "say"; readonly text: string; readonly messageId?: string }
  | { readonly step: "think"; readonly text: string; readonly messageId?: string }
  /** Says `echo: ` and the prompt without its steps. */
  | { readonly step: "echo" }
  /** Says the earlier messages of users in its own session, `recall: a | b`; `recall: nothing` if there are none. */
  | { readonly step: "recall" }
  /** Says a fact about itself: `cwd`, `pid`, the names of all its variables, one variable, its mode, model or an option. */
  | {
      readonly step: "tell";
      readonly what: "cwd" | "pid" | "variables" | "variable" | "mode" | "model" | "option";
      readonly name?: string;
    }
  /** Changes its own mode (`mode`), model (`model`) or option, and tells the client. */
  | { readonly step: "choose"; readonly id: string; readonly value: string | boolean }
  /** Chunks of `<number>:<monotonic nanoseconds>` and a space, to measure their latency. */
  | { readonly step: "stamp"; readonly count: number; readonly everyMs: number }
  /** Many chunks of `text`: `perSecond` of them for `seconds`, or `count` as fast as possible. */
  | {
      readonly step: "flood";
      readonly text?: string;
      readonly count?: number;
      readonly perSecond?: number;
      readonly seconds?: number;
    }
  /** A `session/update` with exactly this `update`. */
  | { readonly step: "update"; readonly update: unknown }
  /** A tool call that ends with this status (none: it stays open). */
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
  /** Asks for input, waits, and says `elicited: <reply>`. */
  | ({ readonly step: "elicit" } & Elicit)
  /** Asks all of these at once, waits for all, and says the replies in order, `elicited: a | b`. */
  | { readonly step: "elicit-all"; readonly asks: readonly Elicit[] }
  /** Sends the client an unknown request and says `<method>: <error code>` (or `result`). */
  | { readonly step: "request"; readonly method: string; readonly params?: unknown }
  /** Uses the first MCP server of the session, or the named one: calls a tool, and says `mcp: <text>` or `mcp error: <text>`. */
  | {
      readonly step: "mcp";
      readonly tool: string;
      readonly args?: unknown;
      readonly server?: string;
    }
  /**
   * Runs these steps for each secret that it knows, or once for all of them `together`, with their forms in the texts:
   * see scripted-leak.ts. `first`: only for so many.
   */
  | {
      readonly step: "leak";
      readonly steps: readonly Step[];
      readonly together?: boolean;
      readonly first?: number;
    }
  /** Any notification. */
  | { readonly step: "notify"; readonly method: string; readonly params?: unknown }
  /** Writes this text to stdout unchanged. */
  | { readonly step: "raw"; readonly text: string }
  /** A chunk written in parts: two halves of a line, split inside characters, or byte by byte. */
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
  /** Unknown updates, known ones with wrong fields, and updates that are not objects. */
  | { readonly step: "odd" }
  /** JSON that is not JSON-RPC: arrays, numbers, no version, an ID of a wrong type, both result and error. */
  | { readonly step: "frames" }
  /** A chunk of another session than the client's. */
  | { readonly step: "stranger"; readonly text: string }
  /** A reply without a request. */
  | { readonly step: "stray-result" }
  /** Replies twice to the prompt. */
  | { readonly step: "double-result" }
  /** A chunk sent this long after the reply to the prompt. */
  | { readonly step: "late"; readonly text: string; readonly afterMs: number }
  /** Ends the prompt with an error; with `times`, only this many times, and then continues. */
  | {
      readonly step: "fail";
      readonly code: number;
      readonly message?: string;
      readonly data?: unknown;
      readonly times?: number;
      /** Steps with different keys count separately. */
      readonly key?: string;
    }
  /** Ends the prompt. */
  | { readonly step: "stop"; readonly stopReason: string; readonly usage?: unknown }
  /** Sends nothing more and does not reply; a cancel still ends it. */
  | { readonly step: "silent" }
  /** Ignores cancels, SIGTERM or the end of stdin from now on. */
  | { readonly step: "ignore"; readonly what: readonly ("cancel" | "sigterm" | "eof")[] }
  /** Starts a process that sleeps, in this process group or in its own session, and says `child: <pid>`. */
  | {
      readonly step: "child";
      readonly how: "group" | "setsid";
      readonly seconds?: number;
      /** It ignores SIGTERM and SIGHUP. */
      readonly stubborn?: boolean;
      /** It keeps the agent's stderr open after the agent has exited. */
      readonly holdsStderr?: boolean;
    }
  /** Exits with a code, or by a signal to itself. */
  | {
      readonly step: "exit";
      readonly code?: number;
      readonly signal?: string;
      readonly stderr?: string;
    }
  | { readonly step: "stderr"; readonly text: string }
  /** Closes stdout and keeps running. */
  | { readonly step: "close-stdout" }
  /** Stops reading stdin, for this time or forever. */
  | { readonly step: "deaf"; readonly forMs?: number }
  /** A pause; a cancel ends it. Shorthand in text: `@wait 50`. */
  | { readonly step: "wait"; readonly ms: number }
  /** Waits until this file exists, which a test creates. */
  | { readonly step: "wait-for"; readonly file: string }
  /** Runs these steps in parallel when this file appears, even after the prompt. A step that ends ends the prompt. */
  | { readonly step: "meanwhile"; readonly when: string; readonly steps: readonly Step[] }
  /** Runs a shell command in the working folder, and says its output. */
  | { readonly step: "shell"; readonly command: string }
  /** Creates or replaces a file; a relative path is in the working folder. */
  | { readonly step: "write"; readonly file: string; readonly text: string };

export interface Elicit {
  /** The fields of `elicitation/create` besides the session. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Withdraws the request by `$/cancel_request` when this file appears. */
  readonly withdrawWhen?: string;
  /** Says that the person has finished at the URL when this file appears. */
  readonly completeWhen?: string;
  /** Neither waits for the reply nor says it. */
  readonly isLeft?: boolean;
}

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
  /** Runs if the chosen option allows it. */
  readonly allowed?: readonly Step[];
  /** Withdraws the request by `$/cancel_request` after this time, and says `answer: withdrawn`. */
  readonly withdrawAfterMs?: number;
  /** Withdraws it when this file appears. */
  readonly withdrawWhen?: string;
  /** Neither waits for the answer nor says it. */
  readonly isLeft?: boolean;
  /** Withdraws it at a cancel instead of waiting for the client's reply. */
  readonly impatient?: boolean;
}

export const DEFAULT_OPTIONS = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
] as const;

/** The text of a prompt with these steps. */
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
export const choose = (id: string, value: string | boolean): Step => ({
  step: "choose",
  id,
  value,
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
export const elicit = (params: Elicit["params"], options: Omit<Elicit, "params"> = {}): Step => ({
  step: "elicit",
  params,
  ...options,
});
/** The form that most tests ask for. */
export const form = (
  message: string,
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[] = [],
): Elicit["params"] => ({
  mode: "form",
  message,
  requestedSchema: { type: "object", properties, required },
});
export const request = (method: string, params?: unknown): Step => ({
  step: "request",
  method,
  params,
});
export const mcp = (tool: string, args: unknown = {}, server?: string): Step => ({
  step: "mcp",
  tool,
  args,
  ...(server !== undefined && { server }),
});
export const leak = (...steps: readonly Step[]): Step => ({ step: "leak", steps });
export const leakAll = (...steps: readonly Step[]): Step => ({
  step: "leak",
  steps,
  together: true,
});
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

/** Splits the text of a prompt into steps and other text. */
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

/** Lines with `@` and another name are text. */
const STEP_NAMES: ReadonlySet<string> = new Set<Step["step"]>([
  "say",
  "think",
  "echo",
  "recall",
  "elicit",
  "elicit-all",
  "tell",
  "choose",
  "stamp",
  "flood",
  "update",
  "tool",
  "ask",
  "ask-all",
  "request",
  "mcp",
  "leak",
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
