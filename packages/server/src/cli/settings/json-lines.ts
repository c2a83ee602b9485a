import { findNodeAtLocation, parseTree, printParseErrorCode, visit } from "jsonc-parser";

/** A parsed JSON text that knows the line of each of its parts. */
export interface JsonWithLines {
  readonly value: unknown;
  /** The line of the value at this path, or of the nearest value around it. */
  lineAt(path: readonly PropertyKey[]): number;
}

/** Says where a text stops being JSON, without repeating any of it: it may hold secrets. */
export class JsonFault extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.name = "JsonFault";
    this.line = line;
  }
}

const MAX_DEPTH = 32;

/** Strict JSON. A duplicate property is refused, since only one of the two could count. Throws a `JsonFault`. */
export function parseJsonWithLines(text: string): JsonWithLines {
  check(text);
  const value: unknown = JSON.parse(text);
  const root = parseTree(text);
  return {
    value,
    lineAt(path) {
      const keys = path.filter((key) => typeof key !== "symbol");
      for (let length = keys.length; length > 0; length -= 1) {
        const node = root && findNodeAtLocation(root, keys.slice(0, length));
        if (node !== undefined)
          return lineOf(text, (node.parent?.type === "property" ? node.parent : node).offset);
      }
      return lineOf(text, root?.offset ?? 0);
    },
  };
}

function check(text: string): void {
  /** The property names of each object around the current position; null for a list. */
  const open: (Set<string> | null)[] = [];
  const fail = (line: number, message: string): never => {
    throw new JsonFault(line + 1, message);
  };
  const enter = (line: number, names: Set<string> | null): void => {
    open.push(names);
    if (open.length > MAX_DEPTH) fail(line, "nested too deeply");
  };
  const leave = (): void => void open.pop();
  visit(
    text,
    {
      onObjectBegin: (_offset, _length, line) => enter(line, new Set()),
      onArrayBegin: (_offset, _length, line) => enter(line, null),
      onObjectEnd: leave,
      onArrayEnd: leave,
      onObjectProperty: (name, _offset, _length, line) => {
        const names = open.at(-1);
        if (names?.has(name) === true) fail(line, "duplicate property");
        names?.add(name);
      },
      onError: (code, _offset, _length, line) =>
        fail(line, REASONS[printParseErrorCode(code)] ?? "not valid JSON"),
    },
    { disallowComments: true },
  );
}

const REASONS: Readonly<Record<string, string>> = {
  PropertyNameExpected: "expected a property name in double quotes",
  ValueExpected: "expected a value",
  ColonExpected: "expected a colon after the property name",
  CommaExpected: "expected a comma",
  CloseBraceExpected: "expected a closing brace",
  CloseBracketExpected: "expected a closing bracket",
  EndOfFileExpected: "unexpected text after the end",
  InvalidCommentToken: "comments are not allowed",
  UnexpectedEndOfString: "unterminated string",
  InvalidCharacter: "a string contains a character that must be escaped",
};

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
