import { inputLines } from "../terminal/input-lines.ts";
import { neutralise, neutraliseLine } from "../terminal/neutralise.ts";
import type { Paint } from "../terminal/paint.ts";
import { rejectionIn, type Option, type Question } from "./question.ts";
import { wrap } from "../terminal/text-width.ts";
import { wholeDiff, type LineStyle } from "./tool-lines.ts";

/** Everything that is asked, wrapped and never cut: what is not seen cannot be agreed to. */
export function questionLines(question: Question, style: LineStyle): readonly string[] {
  const { paint, columns } = style;
  const title = wrap(neutralise(question.title), columns - 3).map((line, index) =>
    paint.bold(`${index === 0 ? "? " : "  "}${line}`),
  );
  switch (question.ask) {
    case "choice": {
      const { kind, options } = question;
      return [
        ...title,
        ...(kind === null ? [] : [paint.dim(`  ${neutraliseLine(kind)}`)]),
        ...subjectLines(question, style),
        ...options.map((option, index) => `  ${paint.cyan(String(index + 1))} ${nameOf(option)}`),
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
    case "nothing":
      return [
        paint.bold(`? ${waitingFor(question)}`),
        ...boxed([...neutralise(question.title).split("\n"), ...inputLines(question.input)], style),
      ];
    default:
      return question satisfies never;
  }
}

/** How to press an answer. */
export function keysLine(options: readonly Option[]): string {
  const keys = options.length === 1 ? "1" : `1–${options.length}`;
  const rejection = rejectionIn(options);
  const no = rejection === null ? "" : `; Esc or n: ${nameOf(rejection)}`;
  return `Press ${keys}${options.length > 9 ? " and Enter" : ""}${no}`;
}

/** What to type elsewhere, command by command. */
export function answerCommands(question: Question, sessionId: string): readonly string[] {
  const command = `holdfast resume ${word(sessionId)} --suspension ${word(question.id)} --answer`;
  switch (question.ask) {
    case "choice":
      return question.options.map((option) => `${command} ${word(option.optionId)}`);
    case "text":
      return question.suggestions.length === 0
        ? [`${command} TEXT`]
        : question.suggestions.map((suggestion) => `${command} ${word(suggestion)}`);
    case "nothing":
      return question.kind === "rate_limit" || question.kind === "shutdown"
        ? []
        : [`${command} JSON`];
    default:
      return question satisfies never;
  }
}

export function nameOf({ name, optionId }: Option): string {
  return neutraliseLine(name === "" ? optionId : name);
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
      return "Waits for the result of a tool of the client";
    case "rate_limit":
      return `Waits because the model's service was asked too much${time}; it goes on by itself`;
    default:
      return `Waits (${kind})${time}`;
  }
}

/** As a shell takes it for one word. What cannot be shown cannot be typed either. */
function word(text: string): string {
  const shown = neutralise(text);
  return /^[\w./:@%+,-]+$/u.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`;
}
