import { shellCall, writingCall } from "./agent-tool.ts";
import type { Asked, FakeCall, Said } from "./asked.ts";

/** What the fake model does about a request. */
export type FakeAnswer =
  | { readonly does: "fail"; readonly status: number }
  /** Takes the request and never says anything. */
  | { readonly does: "hang" }
  | Speech;

export interface Speech {
  readonly does: "speak";
  readonly thought: string;
  readonly pieces: readonly string[];
  readonly pauseMs: number;
  readonly calls: readonly FakeCall[];
  readonly stop: "end" | "length" | "refusal" | "tool";
  /** The connection breaks after the last piece. */
  readonly isCut: boolean;
}

/** In what a model was told to do: after a refusal it does not try again, whatever it is told later. */
const STUBBORN = /\bSTUBBORN\b/u;
const DIRECTIVE = /\b(PING|THINK|TOOL|WRITE|APPEND|ERR|SLOW|BIG|RECALL|HANG|CUT|LENGTH|REFUSE)\b/gu;
/** Said to an agent that takes work up again: a model would then do what it was told before. */
const GO_ON = /^Go on with the work\.$/mu;

export const WRITTEN = "written by the model";

/**
 * Obeys the last directive in the latest text of the user:
 *
 * - `PING` says PONG; `THINK` thinks first; `RECALL` says every text of the user it was given, and
 *   `RECALL CODE-` only the words that begin so, whoever said them
 * - `TOOL name {json}` calls a tool, several lines call several; what comes back is said
 * - `WRITE path` writes a file and `APPEND path` adds a line to one, with whatever tool there is for it
 * - `ERR status` fails so; `ERR status xN` fails N times with the same text, then says PONG
 * - `SLOW` says a word every 50 ms for a minute; `HANG` says nothing; `CUT` breaks off
 * - `BIG n` says n KiB; `LENGTH` and `REFUSE` end for that reason
 *
 * The word `STUBBORN` beside a directive makes a model that believes what its tools said, and not a later word of the
 * client: it does not repeat a call that its history says was refused.
 */
export function decideAnswer(asked: Asked, failedBefore: (text: string) => number): FakeAnswer {
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
      return goOn >= at && goOn !== -1 ? speak("I go on.") : useTools(toolsIn(order));
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

function tellResults(results: readonly Said[]): Speech {
  return speak(`The tool said: ${joined(results)}`);
}

function useTools(calls: readonly FakeCall[]): Speech {
  if (calls.length === 0) return speak("I have no tool for that.");
  return { ...speak("I need something. "), calls, stop: "tool" };
}

function toolsIn(order: string): readonly FakeCall[] {
  return [...order.matchAll(/\bTOOL (\S+)(?: (\{.*\}))?/gu)].map(
    ([, name = "", json = "{}"]): FakeCall => ({ name, args: JSON.parse(json) }),
  );
}

function fileCall({ tools }: Asked, order: string): readonly FakeCall[] {
  const [, how, file = ""] = /.*\b(WRITE|APPEND) (\S+)/su.exec(order) ?? [];
  const call =
    how === "WRITE"
      ? writingCall(tools, { file, text: WRITTEN })
      : shellCall(tools, `echo '${WRITTEN}' >> '${file}'`);
  return call === null ? [] : [call];
}

function recall(said: readonly Said[], order: string): string {
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

function joined(said: readonly Said[]): string {
  return said.map(({ text }) => text).join(" | ");
}

function isDirective(text: string): boolean {
  return text.match(DIRECTIVE) !== null;
}
