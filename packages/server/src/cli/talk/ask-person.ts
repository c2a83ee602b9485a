import { createInterface } from "node:readline";
import { openKeys, type Key } from "../terminal/keys.ts";
import type { Later } from "../terminal/later.ts";
import { rejectionIn, type Option, type Question } from "./question.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface Asked {
  /** What was chosen or typed; null when the person wants to leave it open, or it was closed. */
  readonly answer: Promise<string | null>;
  close(): void;
}

export interface AskOptions {
  readonly terminal: Terminal;
  readonly later: Later;
  /** Ctrl-C, which is no signal while keys are read. */
  readonly onInterrupt: () => void;
}

/** Keys that were meant for something else must not answer what has just appeared. */
const INERT_MS = 500;

/** Waits for an answer of whoever sits at the terminal. Nothing is ever taken as an answer by default. */
export function askPerson(
  question: Exclude<Question, { ask: "nothing" }>,
  { terminal, later, onInterrupt }: AskOptions,
): Asked {
  const { promise: answer, resolve } = Promise.withResolvers<string | null>();
  let isInert = true;
  let typed = "";

  const onKey = (key: Key): void => {
    if (key.isControl && key.name === "c") return onInterrupt();
    if (isInert) return;
    if (key.isControl && key.name === "d") return finish(null);
    if (question.ask !== "choice") return;
    const pressed = press(typed, { key, options: question.options });
    typed = pressed.typed;
    if (pressed.option !== null) finish(pressed.option.optionId);
  };

  const keys = openKeys(terminal, onKey);
  let stop = (): void => keys.close();
  const callOff = later(INERT_MS, () => {
    isInert = false;
    if (question.ask === "choice") return;
    keys.close();
    stop = readLine(terminal, { onLine: take, onInterrupt, onEnd: () => finish(null) });
  });

  const take = (line: string): boolean => {
    const text = line.trim();
    if (question.ask !== "text" || text === "") return false;
    const suggested = /^\d+$/u.test(text) ? question.suggestions[Number(text) - 1] : undefined;
    finish(suggested ?? text);
    return true;
  };

  const finish = (result: string | null): void => {
    callOff();
    stop();
    resolve(result);
  };

  return { answer, close: () => finish(null) };
}

/** Digits choose as soon as they can mean only one option; Enter only confirms what was typed. */
function press(
  before: string,
  { key, options }: { readonly key: Key; readonly options: readonly Option[] },
): { readonly typed: string; readonly option: Option | null } {
  if (key.isControl) return { typed: before, option: null };
  if (key.name === "escape" || key.text.toLowerCase() === "n")
    return { typed: "", option: rejectionIn(options) };
  if (key.name === "return") return { typed: "", option: options[Number(before) - 1] ?? null };
  if (!/^\d$/u.test(key.text)) return { typed: "", option: null };
  const typed = before + key.text;
  const number = Number(typed);
  if (number < 1 || number > options.length) return { typed: "", option: null };
  return number * 10 > options.length
    ? { typed: "", option: options[number - 1] ?? null }
    : { typed, option: null };
}

function readLine(
  { stdin, stderr }: Terminal,
  handlers: {
    /** Whether it was an answer; if not, another line is read. */
    readonly onLine: (line: string) => boolean;
    readonly onInterrupt: () => void;
    readonly onEnd: () => void;
  },
): () => void {
  const lines = createInterface({
    input: stdin,
    output: stderr.stream,
    terminal: true,
    historySize: 0,
    prompt: "> ",
  });
  let isOver = false;
  lines.on("line", (line) => {
    if (!isOver && !handlers.onLine(line)) lines.prompt();
  });
  lines.on("SIGINT", handlers.onInterrupt);
  lines.on("close", () => {
    if (!isOver) handlers.onEnd();
  });
  lines.prompt();
  return () => {
    isOver = true;
    lines.close();
  };
}
