import { errorText, HoldfastError } from "@holdfast/client";

/** Why work was not kept. */
export interface Refusal {
  readonly text: string;
  /** What to do next; null if the text says it. */
  readonly advice: string | null;
  /** What a hook or another program printed; null if there is nothing. */
  readonly output: string | null;
}

/** The reason of the server in plain words. */
export function refusalOf(error: unknown): Refusal {
  const detail = errorText(error);
  const code = error instanceof HoldfastError ? error.code : null;
  switch (code) {
    case "hook_failed": {
      const { first, rest } = splitLines(detail);
      return {
        text: first.replace(/:$/u, "."),
        advice: "Nothing was committed. Your message is still there.",
        output: rest,
      };
    }
    case "merge_conflicts":
      return plain(
        detail,
        "Nothing was changed. Ask the agent to resolve the conflicts, or do it yourself.",
      );
    case "push_failed":
      return { text: "The branch was not pushed.", advice: null, output: detail };
    case "pull_request_failed": {
      const [text = "", output = null] = splitAt(detail, ": ");
      return {
        text: output === null ? text : `${text}.`,
        advice: null,
        output,
      };
    }
    case "session_not_idle":
      return plain("A run is in progress.", "Try again when it has ended.");
    default:
      return plain(detail, null);
  }
}

function plain(text: string, advice: string | null): Refusal {
  return { text, advice, output: null };
}

function splitLines(text: string): { readonly first: string; readonly rest: string | null } {
  const [first = "", rest = ""] = splitAt(text, "\n");
  return { first, rest: rest.trim() === "" ? null : rest.trimEnd() };
}

/** The text before and after the separator; only the text if it has none. */
function splitAt(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}
