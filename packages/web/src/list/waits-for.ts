import type { OpenSuspension } from "@holdfast/protocol";

/** The reason why a session waits, in a line. */
export function waitsFor({ kind, request }: OpenSuspension): string {
  const title = textOf(request["title"]) ?? textOf(request["question"]);
  switch (kind) {
    case "permission":
      return title === null ? "Permission" : `Permission: ${title}`;
    case "question":
      return title === null ? "Question" : `Question: ${title}`;
    case "tool_result":
      return title === null ? "A tool's result" : `A tool's result: ${title}`;
    case "event":
      return title === null ? "An event" : `Event: ${title}`;
    case "budget":
      return "Its budget is used up";
    case "rate_limit":
      return "A rate limit to pass";
    case "shutdown":
      return "The server to be back";
    default:
      return kind satisfies never;
  }
}

function textOf(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const text = value.replaceAll(/\s+/gu, " ").trim();
  return text === "" ? null : text;
}
