import type { ElicitationAnswer } from "@holdfast/protocol";
import { createInterface, emitKeypressEvents, type Key as Keypress } from "node:readline";
import { Writable } from "node:stream";
import type { Later, Terminal } from "../terminal/terminal.ts";
import { createPaint } from "../terminal/paint.ts";
import type { FormDialog } from "./form/form-dialog.ts";
import { FORM_KEYS, stepLines } from "./form/form-lines.ts";
import { rejectionIn, type Option, type Question } from "./question.ts";

export interface OpenPrompt {
  /** The chosen option, the typed text or form; null when the person leaves the question open, or it is closed. */
  readonly answer: Promise<TypedAnswer | null>;
  close(): void;
}

export type TypedAnswer = string | ElicitationAnswer;

export type AskedQuestion = Exclude<Question, { ask: "nothing" }>;

export interface AskOptions {
  /** Of a form. It keeps the input when the question is asked again. */
  readonly dialog: FormDialog | null;
  readonly terminal: Terminal;
  readonly later: Later;
  /** Ctrl-C, which is not a signal in raw mode. */
  readonly onInterrupt: () => void;
}

/** Keys typed for something else must not answer a question that has just appeared. */
const INERT_MS = 500;

/** Waits for an answer at the terminal. There is no default answer. */
export function askPerson(
  question: AskedQuestion,
  { dialog, terminal, later, onInterrupt }: AskOptions,
): OpenPrompt {
  const { promise: answer, resolve } = Promise.withResolvers<TypedAnswer | null>();
  let isInert = true;
  let typed = "";

  const onKey = (key: Key): void => {
    if (key.isControl && key.name === "c") return onInterrupt();
    if (isInert) return;
    if (key.isControl && key.name === "d") return finish(null);
    if (question.ask !== "choice" && question.ask !== "url") return;
    const pressed = press(typed, key, question.options);
    typed = pressed.typed;
    if (pressed.option !== null) finish(answerOf(question.ask, pressed.option.optionId));
  };

  let stop = readKeys(terminal, onKey);
  const cancel = later(INERT_MS, () => {
    isInert = false;
    if (question.ask === "choice" || question.ask === "url") return;
    stop();
    stop = readLine(terminal, {
      onReady: () => {
        if (dialog !== null) showStep(dialog, terminal, { isFirst: true });
      },
      onLine: take,
      onInterrupt,
      onEnd: () => finish(null),
      isHidden: () => isSecret(dialog),
    });
  });

  const take = (line: string): boolean => {
    if (dialog !== null) {
      const given = dialog.take(line);
      if (given === null) showStep(dialog, terminal);
      else finish(given);
      return given !== null;
    }
    const text = line.trim();
    if (question.ask !== "text" || text === "") return false;
    const suggested = /^\d+$/u.test(text) ? question.suggestions[Number(text) - 1] : undefined;
    finish(suggested ?? text);
    return true;
  };

  const finish = (result: TypedAnswer | null): void => {
    cancel();
    stop();
    resolve(result);
  };

  return { answer, close: () => finish(null) };
}

function answerOf(ask: "choice" | "url", optionId: string): TypedAnswer {
  if (ask === "choice") return optionId;
  if (optionId === "accept") return { action: "accept" };
  return { action: optionId === "decline" ? "decline" : "cancel" };
}

function showStep(
  dialog: FormDialog,
  { stderr }: Terminal,
  { isFirst = false }: { readonly isFirst?: boolean } = {},
): void {
  const paint = createPaint(stderr);
  const lines = stepLines(dialog.step(), { paint, columns: stderr.columns() });
  const all = isFirst ? [paint.dim(FORM_KEYS), ...lines] : lines;
  stderr.stream.write(all.map((line) => `${line}\n`).join(""));
}

function isSecret(dialog: FormDialog | null): boolean {
  const step = dialog?.step();
  return step?.at === "field" && step.field.type === "text" && step.field.secret;
}

/** Digits choose as soon as they are unambiguous; Enter only confirms typed digits. */
function press(
  before: string,
  key: Key,
  options: readonly Option[],
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
    /** Called when the terminal no longer shows typed keys by itself, before the first prompt. */
    readonly onReady: () => void;
    /** Whether the line is an answer; if not, the next line is read. */
    readonly onLine: (line: string) => boolean;
    readonly onInterrupt: () => void;
    readonly onEnd: () => void;
    /** While true, typed text is not shown. */
    readonly isHidden: () => boolean;
  },
): () => void {
  const output = new Writable({
    write(chunk, _encoding, done) {
      // At once: the lines of a form go to the same stream directly.
      if (!handlers.isHidden()) stderr.stream.write(chunk);
      done();
    },
  });
  const lines = createInterface({
    input: stdin,
    output: Object.defineProperty(output, "columns", { get: stderr.columns }),
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
  handlers.onReady();
  lines.prompt();
  return () => {
    isOver = true;
    lines.close();
  };
}

interface Key {
  /** `escape`, `return`, `c`, `1`; empty for a key without a name. */
  readonly name: string;
  readonly text: string;
  readonly isControl: boolean;
}

/** Reads single keys in raw mode until the returned function is called or the process ends. */
function readKeys({ stdin, signals }: Terminal, onKey: (key: Key) => void): () => void {
  const listener = (text: string | undefined, key: Keypress): void => {
    const name = key.name ?? text ?? "";
    // A key with Alt is another key.
    if (key.meta !== true || name === "escape")
      onKey({ name, text: text ?? "", isControl: key.ctrl === true });
  };
  const endRawMode = (): void => void stdin.setRawMode?.(false);
  emitKeypressEvents(stdin);
  signals.on("exit", endRawMode);
  stdin.setRawMode?.(true);
  stdin.on("keypress", listener);
  stdin.resume();
  return () => {
    stdin.off("keypress", listener);
    stdin.pause();
    endRawMode();
    signals.off("exit", endRawMode);
  };
}
