import { ConnectionError, HoldfastError, type HoldfastErrorCode } from "@holdfast/client";
import { isUnreadable } from "../../runtime/session-snapshot.ts";
import { EXIT } from "../exit.ts";
import { neutraliseLine } from "./neutralise.ts";

export interface Failure {
  /** One line: what was refused or failed, and what to do next. */
  readonly line: string;
  readonly exitCode: number;
}

/** What to say of a command that could not be done. What is none of the server's answers is a bug, and thrown on. */
export function failureOf(error: unknown, sessionId: string): Failure {
  if (error instanceof ConnectionError)
    return failure(`No server answers (${error.message}). Start one: holdfast serve`);
  if (error instanceof TypeError && error.message.startsWith("Not an id"))
    return { ...failure(`${error.message}. holdfast list shows the sessions`), exitCode: EXIT.no };
  if (isUnreadable(error)) return failureOf(toAnswer(error), sessionId);
  if (!(error instanceof HoldfastError)) throw error;
  const next = NEXT_STEPS[error.code]?.(neutraliseLine(sessionId));
  const said = failure(next === undefined ? error.detail : `${error.detail} ${next}`);
  if (error.code === "invalid_request") return { ...said, exitCode: EXIT.usage };
  return NOT_THERE.includes(error.code) ? { ...said, exitCode: EXIT.no } : said;
}

/** What a server would answer where the database was asked directly. */
function toAnswer({ message }: Error): HoldfastError {
  return new HoldfastError("row_unreadable", { status: 500, detail: message });
}

function failure(text: string): Failure {
  return { line: `holdfast: ${neutraliseLine(text)}`, exitCode: EXIT.failed };
}

const NOT_THERE: readonly HoldfastErrorCode[] = [
  "node_not_found",
  "removed_not_found",
  "session_not_found",
  "token_not_found",
];

const NEXT_STEPS: Partial<Record<HoldfastErrorCode, (id: string) => string>> = {
  admin_token_first: () => "Make one: holdfast token create --name admin --scope admin",
  agent_not_installed: () => "See what there is: holdfast providers",
  provider_unknown: () => "See what there is: holdfast providers",
  node_ambiguous: () => "See what there is: holdfast nodes",
  node_not_found: () => "See what there is: holdfast nodes",
  delivery_held: (id) => `See: holdfast get ${id}`,
  delivery_rejected: (id) => `See: holdfast get ${id}`,
  queue_full: (id) => `Watch it work: holdfast watch ${id}`,
  row_unreadable: (id) => `See it: holdfast get ${id} --raw. Remove it: holdfast delete ${id}`,
  session_archived: (id) => `Go on in a copy: holdfast fork ${id}`,
  session_failed: (id) => `Go on in a copy: holdfast fork ${id}`,
  session_busy: () =>
    "To wait, send with --delivery queue; to cancel the run, --delivery interrupt",
  removed_not_found: () => "See what there is: holdfast removed",
  session_not_found: () => "See what there is: holdfast list",
  token_not_found: () => "See what there is: holdfast token",
  unauthorized: () => "Set HOLDFAST_TOKEN to the server's token",
  unexpected_reply: () => "Is it a Holdfast server?",
};
