import { shellCall, writingCall } from "./agent-tool.ts";
import type { ModelRequest, FakeCall, Turn } from "./model-request.ts";

/** The fake model's reaction to a request. */
export type FakeAnswer =
  | { readonly does: "fail"; readonly status: number }
  /** Never replies. */
  | { readonly does: "hang" }
  | Speech;

export interface Speech {
  readonly does: "speak";
  readonly thought: string;
  readonly pieces: readonly string[];
  readonly pauseMs: number;
  readonly calls: readonly FakeCall[];
  readonly stop: "end" | "length" | "refusal" | "tool";
  /** The connection breaks after the last chunk. */
  readonly isCut: boolean;
}

/** A word in a prompt: after a refusal the model does not try again, whatever later messages say. */
const STUBBORN = /\bSTUBBORN\b/u;
const DIRECTIVE =
  /\b(PING|THINK|TOOL|RUN|WRITE|APPEND|ERR|SLOW|BIG|RECALL|HANG|CUT|LENGTH|REFUSE)\b/gu;
/** The sentence with which an agent is asked to continue: the model then repeats its earlier directive. */
const GO_ON = /^Go on with the work\.$/mu;
const CALL_AGAIN = /\bCall (\w+) again now\b/u;

export const WRITTEN = "written by the model";

/**
 * Follows the last directive in the latest text of the user:
 *
 * - `PING` says PONG; `THINK` thinks first; `RECALL` says every text of the user, and
 *   `RECALL CODE-` only the words that begin with it, from all roles
 * - `TOOL name {json}` calls a tool, several lines call several; it says the results
 * - `RUN command` runs the rest of the line in a shell, and says `Done.`
 * - `WRITE path` writes a file and `APPEND path` adds a line to one, with any suitable tool;
 *   `WRITE path "text"` writes this text
 * - `ERR status` fails with it; `ERR status xN` fails N times for the same text, then says PONG
 * - `SLOW` says a word every 50 ms for a minute; `HANG` says nothing; `CUT` breaks off
 * - `BIG n` says n KiB; `LENGTH` and `REFUSE` end for that reason
 *
 * With the word `STUBBORN` beside a directive, the model believes its tools and not later messages of the client: it
 * does not repeat a call that its history shows as refused.
 */
export function decideAnswer(
  asked: ModelRequest,
  failedBefore: (text: string) => number,
): FakeAnswer {
  const at = asked.said.findLastIndex(({ by, text }) => by === "user" && isDirective(text));
  const order = asked.said[at]?.text ?? asked.said.findLast(({ by }) => by === "user")?.text ?? "";
  const goOn = asked.said.findLastIndex(({ by, text }) => by === "user" && GO_ON.test(text));
  const since = STUBBORN.test(order) ? at : Math.max(at, goOn);
  const results = asked.said.slice(since + 1).filter(({ by }) => by === "tool");
  const [directive] = order.match(DIRECTIVE)?.slice(-1) ?? [];
  switch (directive) {
    case "PING":
      return speak("PONG");
    case "THINK":
      return { ...speak("After a thought: 42."), thought: "Let me think about this." };
    case "TOOL":
      if (results.length > 0) return tellResults(results);
      if (goOn < at || goOn === -1) return useTools(toolsIn(order));
      return callAgain(toolsIn(order), asked.said[goOn]?.text ?? "");
    case "RUN":
      return results.length > 0 ? speak("Done.") : useTools(shellCalls(asked, order));
    case "WRITE":
    case "APPEND":
      return results.length > 0 ? tellResults(results) : useTools(fileCall(asked, order));
    case "ERR":
      return fail(order, failedBefore);
    case "SLOW":
      return { ...speak(""), pieces: words(1_200, (index) => `slow-${index} `), pauseMs: 50 };
    case "BIG":
      return { ...speak(""), pieces: words(amountIn(order), () => `${"x".repeat(1_023)} `) };
    case "RECALL":
      return speak(`You said: ${recall(asked.said, order)}`);
    case "HANG":
      return { does: "hang" };
    case "CUT":
      return { ...speak("This is where it "), isCut: true };
    case "LENGTH":
      return { ...speak("This is as far as "), stop: "length" };
    case "REFUSE":
      return { ...speak("No."), stop: "refusal" };
    default:
      return speak(`Hello from ${asked.model}.`);
  }
}

function speak(text: string): Speech {
  return {
    does: "speak",
    thought: "",
    pieces: text.match(/[\s\S]{1,12}/gu) ?? [],
    pauseMs: 0,
    calls: [],
    stop: "end",
    isCut: false,
  };
}

function tellResults(results: readonly Turn[]): Speech {
  return speak(`The tool said: ${joined(results)}`);
}

function useTools(calls: readonly FakeCall[]): Speech {
  if (calls.length === 0) return speak("I have no tool for that.");
  return { ...speak("I need something. "), calls, stop: "tool" };
}

/** An allowed tool is called again if the client asks for that. */
function callAgain(calls: readonly FakeCall[], asked: string): Speech {
  const [, tool] = CALL_AGAIN.exec(asked) ?? [];
  if (tool === undefined) return speak("I go on.");
  return useTools(calls.filter((call) => JSON.stringify(call).includes(tool)));
}

function toolsIn(order: string): readonly FakeCall[] {
  return [...order.matchAll(/\bTOOL (\S+)(?: (\{.*\}))?/gu)].map(
    ([, name = "", json = "{}"]): FakeCall => ({ name, args: JSON.parse(json) }),
  );
}

function shellCalls({ tools }: ModelRequest, order: string): readonly FakeCall[] {
  const command = /.*\bRUN ([^\n]+)/su.exec(order)?.[1] ?? "true";
  const call = shellCall(tools, command);
  return call === null ? [] : [call];
}

function fileCall({ tools }: ModelRequest, order: string): readonly FakeCall[] {
  const [, how, file = "", text = WRITTEN] =
    /.*\b(WRITE|APPEND) (\S+)(?: "([^"\n]*)")?/su.exec(order) ?? [];
  const call =
    how === "WRITE"
      ? writingCall(tools, { file, text })
      : shellCall(tools, `echo '${WRITTEN}' >> '${file}'`);
  return call === null ? [] : [call];
}

function recall(said: readonly Turn[], order: string): string {
  const prefix = /.*\bRECALL ([A-Z]+-)/su.exec(order)?.[1];
  if (prefix === undefined) return joined(said.filter(({ by }) => by === "user"));
  const words = said.flatMap(({ text }) => text.match(/\b[A-Z]+-\w+/gu) ?? []);
  return [...new Set(words.filter((word) => word.startsWith(prefix)))].join(" ");
}

function fail(order: string, failedBefore: (text: string) => number): FakeAnswer {
  const [, status = "500", times] = /\bERR (\d{3})(?: x(\d+))?/u.exec(order) ?? [];
  if (times !== undefined && failedBefore(order) >= Number(times)) return speak("PONG");
  return { does: "fail", status: Number(status) };
}

function amountIn(order: string): number {
  return Number(/\bBIG (\d{1,6})/u.exec(order)?.[1] ?? 1);
}

function words(count: number, word: (index: number) => string): readonly string[] {
  return Array.from({ length: count }, (_, index) => word(index));
}

function joined(said: readonly Turn[]): string {
  return said.map(({ text }) => text).join(" | ");
}

function isDirective(text: string): boolean {
  return text.match(DIRECTIVE) !== null;
}
