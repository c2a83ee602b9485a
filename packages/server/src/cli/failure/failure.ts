import { ConnectionError, HoldfastError, type HoldfastErrorCode } from "@holdfast/client";
import { isUnreadable } from "../../runtime/session-snapshot.ts";
import { EXIT } from "../exit.ts";
import { fieldSentence } from "./field-words.ts";
import { neutraliseLine } from "../terminal/neutralise.ts";
import { commandLine } from "../terminal/invocation.ts";

export interface Failure {
  /** One line: the failure and the next step. */
  readonly line: string;
  readonly exitCode: number;
}

/** Describes a failed command. An error that is not an answer of the server is a bug and is rethrown. */
export function failureOf(error: unknown, sessionId: string): Failure {
  if (error instanceof ConnectionError)
    return failure(`No server answers${addressIn(error)}. Start one with: ${commandLine("up")}`);
  if (error instanceof TypeError && error.message.startsWith("Not an id"))
    return {
      ...failure(
        `${error.message.replace("id", "ID")}. Run \`${commandLine("list")}\` to see all sessions.`,
      ),
      exitCode: EXIT.no,
    };
  if (isUnreadable(error)) return failureOf(toAnswer(error), sessionId);
  if (!(error instanceof HoldfastError)) throw error;
  const next = NEXT_STEPS[error.code]?.(neutraliseLine(sessionId));
  const detail = detailOf(error);
  const answer = failure(next === undefined ? detail : `${detail} ${next}`);
  if (WRONG_USAGE.includes(error.code)) return { ...answer, exitCode: EXIT.usage };
  return NOT_FOUND.includes(error.code) ? { ...answer, exitCode: EXIT.no } : answer;
}

/** Names options where the server names fields of a request. The fields of a form keep their names. */
function detailOf({ code, detail, problem }: HoldfastError): string {
  const errors = code === "answer_invalid" ? [] : (problem?.errors ?? []);
  return errors.length === 0 ? detail : errors.slice(0, SHOWN_ERRORS).map(fieldSentence).join(" ");
}

const SHOWN_ERRORS = 3;

/** Where the server was expected; the rest of the message is about the request. */
function addressIn({ message }: ConnectionError): string {
  const origin = /https?:\/\/[^\s/]+/u.exec(message)?.[0];
  return origin === undefined ? "" : ` at ${origin}`;
}

/** The answer that a server would give for the same error of the database. */
function toAnswer({ message }: Error): HoldfastError {
  return new HoldfastError("row_unreadable", { status: 500, detail: message });
}

function failure(text: string): Failure {
  return { line: `holdfast: ${neutraliseLine(text)}`, exitCode: EXIT.failed };
}

/** The command named something that does not exist. */
const NOT_FOUND: readonly HoldfastErrorCode[] = [
  "grant_not_found",
  "message_not_found",
  "node_not_found",
  "path_not_found",
  "provider_unknown",
  "removed_not_found",
  "repository_not_found",
  "run_not_found",
  "session_not_found",
  "suspension_not_found",
  "token_not_found",
];

/** The command line itself is wrong: the same command can never succeed. */
const WRONG_USAGE: readonly HoldfastErrorCode[] = [
  "answer_invalid",
  "invalid_request",
  "metadata_invalid",
  "payload_too_large",
];

const NEXT_STEPS: Partial<Record<HoldfastErrorCode, (id: string) => string>> = {
  provider_unknown: () => `Run \`${commandLine("providers")}\` to see all providers.`,
  node_ambiguous: () => `Run \`${commandLine("nodes")}\` to see all nodes.`,
  node_not_found: () => `Run \`${commandLine("nodes")}\` to see all nodes.`,
  answer_invalid: () => `Run \`${commandLine("inbox")}\` to see the options.`,
  delivery_held: (id) => `Run: ${commandLine(`update ${id} --delivery open`)}`,
  delivery_rejected: (id) => `Run: ${commandLine(`update ${id} --delivery open`)}`,
  queue_full: (id) => `Follow it with: ${commandLine(`watch ${id}`)}`,
  row_unreadable: (id) =>
    `Show its rows with: ${commandLine(`get ${id} --raw`)}. Delete it with: ${commandLine(`delete ${id}`)}`,
  repository_not_found: () => `Run \`${commandLine("repos")}\` to see all repositories.`,
  repository_required: () => `Run: ${commandLine("create --repo .")}`,
  session_archived: (id) => `Continue in a copy with: ${commandLine(`fork ${id}`)}`,
  session_failed: (id) => `Continue in a copy with: ${commandLine(`fork ${id}`)}`,
  session_busy: () => "Pass --delivery queue to wait, or --delivery interrupt to cancel the run.",
  session_not_idle: (id) => `Cancel the run with: ${commandLine(`cancel ${id}`)}`,
  removed_not_found: () => `Run \`${commandLine("removed")}\` to see all removed sessions.`,
  session_not_found: () => `Run \`${commandLine("list")}\` to see all sessions.`,
  token_not_found: () => `Run \`${commandLine("token")}\` to see all tokens.`,
  unauthorized: () => "Set HOLDFAST_TOKEN to a token of the server.",
  unexpected_reply: () => "Is it a Holdfast server?",
};
