import { sameJson, type Json, type JsonObject } from "../../domain/json.ts";
import type { Message } from "../../domain/message.ts";
import type { CurrentRun, UnusedAnswer } from "../../domain/run.ts";
import { keepNewest } from "../../storage/keep-newest.ts";
import type { Store, StoredSuspension } from "../../storage/store.ts";
import { carriedFrom, chosenKind } from "../permissions/permission-answer.ts";
import { isByPolicy } from "../permissions/policy-answer.ts";

/** A run that asked for more than this says the rest in its messages. */
const MAX_TOLD = 20;
const MAX_TITLE = 200;

/** Suspensions whose answers went to the agent that had asked, while it waited for them. */
export interface AnsweredLive {
  has(suspensionId: string): boolean;
  add(suspensionId: string): void;
}

const MAX_REMEMBERED = 10_000;

/** Since this process began, the newest of them. Of older ones only their calls tell that they were used. */
export function rememberAnswered(): AnsweredLive {
  const kept = keepNewest<string, true>(MAX_REMEMBERED);
  return { has: (id) => kept.get(id) === true, add: (id) => kept.set(id, true) };
}

/** What the process that ends the run knows of it. */
export interface HeardAnswers {
  readonly answered: Pick<AnsweredLive, "has">;
  /** Calls that an earlier agent of the run had left open: what became of them since is the new agent's word. */
  readonly adopted: ReadonlySet<string>;
}

/**
 * Actions of a run that a person allowed when the agent that had asked was gone, and that the next agent did not take
 * up: no such call, and no such question, was seen after the answer. An agent may do it under another name, so this
 * is what can be seen and no proof.
 */
export async function unusedAnswers(
  store: Store,
  { sessionId, run, heard }: { sessionId: string; run: CurrentRun; heard: HeardAnswers },
): Promise<readonly UnusedAnswer[]> {
  const suspensions = (await store.readSuspensions(sessionId)).filter(
    ({ runId, kind }) => runId === run.id && kind === "permission",
  );
  const allowed = suspensions.filter((each) => isAllowed(each) && !heard.answered.has(each.id));
  if (allowed.length === 0) return [];
  const messages = await store.readMessages({ sessionId });
  const calls = messages.filter(
    ({ runId, content }) => runId === run.id && content.type === "tool",
  );
  return allowed
    .filter((answered) => !isUsed(answered, { suspensions, calls, adopted: heard.adopted }))
    .slice(-MAX_TOLD)
    .map(({ id, request, answer }) => {
      const title = typeof request["title"] === "string" ? request["title"] : "permission";
      return { suspensionId: id, title: title.slice(0, MAX_TITLE), answer };
    });
}

/** By a person, for this question. */
function isAllowed({ status, request, answer, answeredBy }: StoredSuspension): boolean {
  if (status !== "answered" || isByPolicy(answeredBy) || carriedFrom(answeredBy) !== null)
    return false;
  return chosenKind(request, answer)?.startsWith("allow") === true;
}

interface Evidence extends Pick<HeardAnswers, "adopted"> {
  readonly suspensions: readonly StoredSuspension[];
  readonly calls: readonly Message[];
}

function isUsed(answered: StoredSuspension, { suspensions, calls, adopted }: Evidence): boolean {
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

/** The call itself was made: by the agent that asked, or, when it took over the call, by the next one. */
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

/** Of a question or of a call. */
function actionOf(told: JsonObject): Action {
  const { kind = null, title = null, input, args, locations } = told;
  return { kind, title, input: input ?? args ?? null, paths: pathsIn(locations ?? null) };
}

function pathsIn(locations: Json): readonly string[] {
  if (!Array.isArray(locations)) return [];
  return locations.flatMap((each: Json) => {
    const path = fieldOf(each, "path") ?? each;
    return typeof path === "string" ? [path] : [];
  });
}

/** Kinds of work that are told apart by the file they are done to. */
const ON_FILES: ReadonlySet<Json> = new Set(["edit", "delete", "move"]);

/** Titles are often the name of the tool alone: they count only where there is no input to compare. */
function isSameAction(one: Action, other: Action): boolean {
  if (one.kind !== null && other.kind !== null && one.kind !== other.kind) return false;
  const isOnSameFile = one.paths.some((path) => other.paths.includes(path));
  if (ON_FILES.has(one.kind) && isOnSameFile) return true;
  if (!isTelling(one.input) || !isTelling(other.input)) return one.title === other.title;
  const command = fieldOf(one.input, "command");
  const isSameCommand = command !== null && sameJson(command, fieldOf(other.input, "command"));
  return isSameCommand || sameJson(one.input, other.input);
}

function isTelling(input: Json): boolean {
  return typeof input === "object" && input !== null && Object.keys(input).length > 0;
}

function fieldOf(value: Json, name: string): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  return new Map(Object.entries(value)).get(name) ?? null;
}
