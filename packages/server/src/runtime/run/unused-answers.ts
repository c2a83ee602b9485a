import { isObject, sameJson, type Json, type JsonObject } from "../../domain/json.ts";
import type { Message } from "../../domain/message.ts";
import type { UnusedAnswer } from "../../domain/run.ts";
import { keepNewest } from "../../storage/keep-newest.ts";
import type { Store, StoredSuspension } from "../../storage/store.ts";
import { carriedFrom, chosenKind } from "../permissions/permission-answer.ts";
import { isByPolicy } from "../permissions/policy-answer.ts";

/** The maximum number that is recorded with a run. */
const MAX_RECORDED = 20;
const MAX_TITLE = 200;

/** Suspensions whose answers went to the live agent that asked. */
export interface AnsweredLive {
  has(suspensionId: string): boolean;
  add(suspensionId: string): void;
}

const MAX_REMEMBERED = 10_000;

/** Remembers the newest ones since this process started. For older ones, only their tool calls show that they were used. */
export function rememberAnswered(): AnsweredLive {
  const newest = keepNewest<string, true>(MAX_REMEMBERED);
  return { has: (id) => newest.get(id) === true, add: (id) => newest.set(id, true) };
}

/**
 * Actions that a person allowed after the asking agent was gone, and that the next agent did not do: no such tool call and
 * no such question followed the answer. An agent may do the action under another name, so this is a hint and no proof.
 * `adopted` are tool calls that an earlier agent of the run left open and whose results the new agent reported.
 */
export async function unusedAnswers(
  { store, answeredLive }: { readonly store: Store; readonly answeredLive: AnsweredLive },
  sessionId: string,
  runId: string,
  adopted: ReadonlySet<string>,
): Promise<readonly UnusedAnswer[]> {
  const suspensions = (await store.readSuspensions(sessionId)).filter(
    (each) => each.runId === runId && each.kind === "permission",
  );
  const allowed = suspensions.filter((each) => isAllowed(each) && !answeredLive.has(each.id));
  if (allowed.length === 0) return [];
  const messages = await store.readMessages({ sessionId });
  const calls = messages.filter((each) => each.runId === runId && each.content.type === "tool");
  return allowed
    .filter((answered) => !isUsed(answered, suspensions, calls, adopted))
    .slice(-MAX_RECORDED)
    .map(({ id, request, answer }) => {
      const title = typeof request["title"] === "string" ? request["title"] : "permission";
      return { suspensionId: id, title: title.slice(0, MAX_TITLE), answer };
    });
}

/** A person allowed it, as the answer to this question. */
function isAllowed({ status, request, answer, answeredBy }: StoredSuspension): boolean {
  if (status !== "answered" || isByPolicy(answeredBy) || carriedFrom(answeredBy) !== null)
    return false;
  return chosenKind(request, answer)?.startsWith("allow") === true;
}

function isUsed(
  answered: StoredSuspension,
  suspensions: readonly StoredSuspension[],
  calls: readonly Message[],
  adopted: ReadonlySet<string>,
): boolean {
  const { id, request, fingerprint, closedAt } = answered;
  const after = closedAt ?? Infinity;
  const isAskedAgain = suspensions.some(
    (other) =>
      carriedFrom(other.answeredBy) === id ||
      (other.id !== id &&
        other.createdAt >= after &&
        ((fingerprint !== null && other.fingerprint === fingerprint) ||
          isSameAction(actionOf(request), actionOf(other.request)))),
  );
  return (
    isAskedAgain ||
    calls.some(({ at, content }) => {
      const isOwn = content["callId"] !== undefined && content["callId"] === request["toolCallId"];
      if (isOwn) return isEnded(content, adopted);
      return at >= after && isSameAction(actionOf(request), actionOf(content));
    })
  );
}

/** The tool call has ended: by the agent that asked, or by the next one if it took over the call. */
function isEnded({ status, callId }: JsonObject, adopted: ReadonlySet<string>): boolean {
  if (status === "completed") return true;
  return status === "failed" && typeof callId === "string" && !adopted.has(callId);
}

interface Action {
  readonly kind: Json;
  readonly title: Json;
  readonly input: Json;
  readonly paths: readonly string[];
}

/** The action that a question or a tool call is about. */
function actionOf(content: JsonObject): Action {
  const { kind = null, title = null, input, args, locations } = content;
  return { kind, title, input: input ?? args ?? null, paths: pathsIn(locations ?? null) };
}

function pathsIn(locations: Json): readonly string[] {
  if (!Array.isArray(locations)) return [];
  return locations.flatMap((each: Json) => {
    const path = fieldOf(each, "path") ?? each;
    return typeof path === "string" ? [path] : [];
  });
}

/** Kinds of actions that are identified by their file. */
const ON_FILES: ReadonlySet<Json> = new Set(["edit", "delete", "move"]);

/** A title is often only the name of the tool. It counts only where there is no input to compare. */
function isSameAction(one: Action, other: Action): boolean {
  if (one.kind !== null && other.kind !== null && one.kind !== other.kind) return false;
  const isOnSameFile = one.paths.some((path) => other.paths.includes(path));
  if (ON_FILES.has(one.kind) && isOnSameFile) return true;
  if (!hasDetails(one.input) || !hasDetails(other.input)) return one.title === other.title;
  const command = fieldOf(one.input, "command");
  const isSameCommand = command !== null && sameJson(command, fieldOf(other.input, "command"));
  return isSameCommand || sameJson(one.input, other.input);
}

function hasDetails(input: Json): boolean {
  return typeof input === "object" && input !== null && Object.keys(input).length > 0;
}

function fieldOf(value: Json, name: "command" | "path"): Json {
  return isObject(value) ? (value[name] ?? null) : null;
}
