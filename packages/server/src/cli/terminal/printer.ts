import { createPaint, type Colouring, type Paint } from "./paint.ts";
import { jsonLine, neutralise, neutraliseLine, onOneLine } from "./neutralise.ts";
import { tableLines, type Column, type Row } from "./table.ts";
import { versioned } from "./json-output.ts";
import { timeAgo } from "./format.ts";
import { terminalOf, type Terminal } from "./terminal.ts";

/** The output of commands: data to stdout, notes to stderr, control characters replaced. */
export interface Printer {
  readonly terminal: Terminal;
  readonly paint: Paint;
  /** True on a terminal without `--json`; scripts get plain lines or JSON. */
  readonly isForPeople: boolean;
  /** An object with the version of this JSON, in camelCase. */
  json(value: object): void;
  /** A value in the shape of GAIA's scripts, which has no version. */
  gaia(value: unknown): void;
  /** Always one line: newlines in the text become spaces. */
  line(text: string, style?: Colouring): void;
  /** The object with `--json`, else the text. */
  result(value: object, text: string): void;
  /** `5m ago` for people, the time itself for scripts. */
  ago(time: string): string;
  /** One line to stderr, like an error, although the command goes on. */
  warn(text: string): void;
  /** To stderr, on a terminal only. */
  note(text: string, style?: Colouring): void;
  /** Aligned on a terminal, separated by tabs elsewhere. */
  table(rows: readonly Row[], columns: readonly (Column | string)[]): void;
}

export function openPrinter({ json = false }: { readonly json?: boolean } = {}): Printer {
  const terminal = terminalOf(process);
  const { stdout, stderr } = terminal;
  const paint = createPaint(stdout);
  const isForPeople = stdout.isTerminal && !json;
  const plain: Colouring = (text) => text;
  const printLine: Printer["line"] = (text, style = plain) =>
    void stdout.stream.write(`${style(onOneLine(text))}\n`);
  const printValue: Printer["gaia"] = (value) =>
    void stdout.stream.write(
      isForPeople ? `${neutralise(JSON.stringify(value, null, 2))}\n` : jsonLine(value),
    );
  const printJson: Printer["json"] = (value) => printValue(versioned(value));
  return {
    terminal,
    paint,
    isForPeople,
    line: printLine,
    json: printJson,
    gaia: printValue,
    result: (value, text) => (json ? printJson(value) : printLine(text)),
    ago: (time) => (isForPeople ? timeAgo(time, Date.now()) : time),
    warn: (text) => void stderr.stream.write(`holdfast: ${neutraliseLine(text)}\n`),
    note: (text, style = plain) => {
      if (stderr.isTerminal) stderr.stream.write(`${style(onOneLine(text))}\n`);
    },
    table: (rows, titles) => {
      if (!isForPeople) {
        for (const row of rows)
          stdout.stream.write(`${row.map((cell) => neutraliseLine(cell ?? "")).join("\t")}\n`);
        return;
      }
      const columns = titles.map((title) => (typeof title === "string" ? { title } : title));
      for (const text of tableLines(rows, { columns, paint, width: stdout.columns() }))
        stdout.stream.write(`${text}\n`);
    },
  };
}
