import type { LastTurn } from "../session.ts";
import type { SessionEvent } from "./event.ts";

const MAX_LINE = 200;

export function firstTurn(at: number): LastTurn {
  return { at, outcome: null, line: null };
}

export function turnAfter(turn: LastTurn, event: SessionEvent): LastTurn {
  const at = Math.max(turn.at, event.at);
  switch (event.type) {
    case "message.queued":
    case "run.started":
    case "run.suspended":
    case "suspension.closed":
      return { ...turn, at };
    case "run.ended": {
      const { outcome } = event.result;
      const line = event.line ?? turn.line;
      // A stop of the server is nobody's turn.
      return { at: outcome === "interrupted" ? turn.at : at, outcome, line };
    }
    default:
      return turn;
  }
}

/** The last line with words in a text, without the marks of Markdown around it. Null if there is none. */
export function lastLineOf(text: string): string | null {
  const lines = text.split("\n").map((line) => line.replace(/^[\s#>*\-+`|]+|[\s*`|]+$/gu, ""));
  const line = lines.findLast((each) => /[\p{L}\p{N}]/u.test(each));
  if (line === undefined) return null;
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE - 1).trimEnd()}…` : line;
}
