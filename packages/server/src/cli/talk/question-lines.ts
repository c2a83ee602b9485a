import { nameOf, optionText } from "./option-text.ts";
import { shellWord } from "../terminal/format.ts";
import { neutralise, neutraliseLine } from "../terminal/neutralise.ts";
import type { Paint } from "../terminal/paint.ts";
import { rejectionIn, type Option, type Question } from "./question.ts";
import { wrap } from "../terminal/text-width.ts";
import { exampleContent } from "./form/form-outline.ts";
import { wholeDiff, type LineStyle } from "./tool-lines.ts";
import { commandLine } from "../terminal/invocation.ts";

/** The whole question, wrapped and never cut: a person must see what they agree to. */
export function questionLines(question: Question, style: LineStyle): readonly string[] {
  const { paint, columns } = style;
  const title = messageLines(question.title, style);
  switch (question.ask) {
    case "choice": {
      const { kind, options } = question;
      const optionLines = options.map(
        (option, index) => `  ${paint.cyan(String(index + 1))} ${optionText(option, question)}`,
      );
      return [
        ...title,
        ...(kind === null ? [] : [paint.dim(`  ${neutraliseLine(kind)}`)]),
        ...subjectLines(question, style),
        ...optionLines,
      ];
    }
    case "text":
      return [
        ...title,
        ...question.suggestions.flatMap((suggestion, index) =>
          wrap(neutralise(suggestion), columns - 6).map((line, part) =>
            part === 0 ? `  ${paint.cyan(String(index + 1))} ${line}` : `    ${line}`,
          ),
        ),
      ];
    case "form":
      return messageLines(question.message, style);
    case "url":
      return [
        ...messageLines(question.message, style),
        `  The agent asks you to open a page${hostOf(question.url)}:`,
        // On one line, so that it can be copied.
        `  ${neutraliseLine(question.url)}`,
        ...question.options.map(
          (option, index) => `  ${paint.cyan(String(index + 1))} ${nameOf(option)}`,
        ),
      ];
    case "nothing":
      return [
        paint.bold(`? ${waitingFor(question)}`),
        ...boxed([...neutralise(question.title).split("\n"), ...inputLines(question.input)], style),
      ];
    default:
      return question satisfies never;
  }
}

function messageLines(text: string, { paint, columns }: LineStyle): readonly string[] {
  return wrap(neutralise(text), columns - 3).map((line, index) =>
    paint.bold(`${index === 0 ? "? " : "  "}${line}`),
  );
}

function hostOf(url: string): string {
  const host = URL.parse(url)?.host ?? "";
  return host === "" ? "" : ` of ${neutraliseLine(host)}`;
}

/** The keys that answer. */
export function keysLine(options: readonly Option[]): string {
  const keys = options.length === 1 ? "1" : `1–${options.length}`;
  const rejection = rejectionIn(options);
  const no = rejection === null ? "" : `; Esc or n: ${nameOf(rejection)}`;
  return `Press ${keys}${options.length > 9 ? " and Enter" : ""}${no}`;
}

/** The commands that answer the question from elsewhere. */
export function answerCommands(question: Question, sessionId: string): readonly string[] {
  const command = commandLine(
    `resume ${quoted(sessionId)} --suspension ${quoted(question.id)} --answer`,
  );
  switch (question.ask) {
    case "choice":
      return question.options.map((option) => `${command} ${quoted(option.optionId)}`);
    case "form": {
      const accepted = { action: "accept", content: exampleContent(question.form) };
      return [accepted, { action: "decline" }, { action: "cancel" }].map(
        (answer) => `${command} ${quoted(JSON.stringify(answer))}`,
      );
    }
    case "url":
      return question.options.map(
        ({ optionId }) => `${command} ${quoted(JSON.stringify({ action: optionId }))}`,
      );
    case "text":
      return question.suggestions.length === 0
        ? [`${command} TEXT`]
        : question.suggestions.map((suggestion) => `${command} ${quoted(suggestion)}`);
    case "nothing":
      return question.kind === "rate_limit" || question.kind === "shutdown"
        ? []
        : [`${command} JSON`];
    default:
      return question satisfies never;
  }
}

function subjectLines(
  { input, locations, diffs }: Extract<Question, { ask: "choice" }>,
  style: LineStyle,
): readonly string[] {
  const { paint, columns } = style;
  const files = diffs.length > 0 ? [] : locations.map((path) => `file: ${neutraliseLine(path)}`);
  const changes = diffs.flatMap((diff) => wholeDiff(diff, { paint, columns: columns - 2 }));
  return [
    ...boxed([...inputLines(input), ...files], style),
    ...changes.map((line) => bar(line, paint)),
  ];
}

function boxed(lines: readonly string[], { paint, columns }: LineStyle): readonly string[] {
  return lines.flatMap((line) => wrap(line, columns - 4)).map((line) => bar(line, paint));
}

function bar(line: string, paint: Paint): string {
  return `${paint.yellow("│")} ${line}`;
}

function waitingFor({ kind, until }: Extract<Question, { ask: "nothing" }>): string {
  const time = until === null ? "" : ` (until ${until})`;
  switch (kind) {
    case "event":
      return `Waits for an event${time}`;
    case "tool_result":
      return "Waits for the result of a client tool";
    case "rate_limit":
      return `Waits for the rate limit of the model's provider${time}; continues by itself`;
    default:
      return `Waits (${kind})${time}`;
  }
}

/** Quotes a text for a shell. Characters that cannot be shown cannot be typed either, so they are replaced. */
function quoted(text: string): string {
  return shellWord(neutralise(text));
}

/** The whole input of a tool: a command first, then all other fields by name. */
function inputLines(input: unknown): readonly string[] {
  if (input === null || input === undefined) return [];
  if (typeof input === "string") return neutralise(input).split("\n");
  if (typeof input !== "object" || Array.isArray(input)) return [neutralise(JSON.stringify(input))];
  const entries = Object.entries(input);
  const isCommand = ([name, value]: [string, unknown]): boolean =>
    COMMANDS.has(name) && typeof value === "string";
  return [
    ...entries.filter(isCommand).flatMap(([, value]) => commandLines(String(value))),
    ...entries.filter((entry) => !isCommand(entry)).flatMap(entryLines),
  ];
}

const COMMANDS: ReadonlySet<string> = new Set(["command", "cmd", "script"]);

function commandLines(command: string): readonly string[] {
  return neutralise(command)
    .split("\n")
    .map((line, index) => `${index === 0 ? "$" : " "} ${line}`);
}

function entryLines([name, value]: [string, unknown]): readonly string[] {
  const label = neutraliseLine(name);
  if (typeof value !== "string") return [`${label}: ${neutralise(JSON.stringify(value))}`];
  const lines = neutralise(value).split("\n");
  return lines.length === 1
    ? [`${label}: ${lines[0]}`]
    : [`${label}:`, ...lines.map((line) => `  ${line}`)];
}
