import type { OpenSuspension, SuspensionKind } from "@holdfast/protocol";

/** Without a title, and before one. */
const NAMES = {
  permission: ["Permission", "Permission: "],
  question: ["Question", "Question: "],
  elicitation: ["Question", "Question: "],
  tool_result: ["A tool's result", "A tool's result: "],
  event: ["An event", "Event: "],
  budget: ["Its budget is used up", null],
  login: ["A login", "Login: "],
  rate_limit: ["Waiting for a rate limit", null],
  shutdown: ["Waiting for the server", null],
} as const satisfies Record<SuspensionKind, readonly [string, string | null]>;

/** The reason why a session waits, in a line. */
export function waitsFor({ kind, request }: OpenSuspension): string {
  const title = textOf(request["title"]) || textOf(request["question"]);
  const [name, prefix] = NAMES[kind];
  return title === "" || prefix === null ? name : prefix + title;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.replaceAll(/\s+/gu, " ").trim() : "";
}
