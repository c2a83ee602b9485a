import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import type { PermissionAnswer } from "../../providers/provider.ts";
import type { StoredSuspension } from "../../storage/store.ts";
import { isByPolicy } from "./policy-answer.ts";

interface Option {
  readonly optionId: string;
  readonly kind: string | null;
}

/**
 * The ID of the option that an answer chooses. The answer names an ID, or a kind that only one option has, as a string or
 * as `{optionId}`. Null when it names none of the options.
 */
export function chosenOption(request: JsonObject, answer: Json): string | null {
  const wish = typeof answer === "string" ? answer : textIn(answer, "optionId");
  if (wish === null) return null;
  const options = optionsIn(request);
  if (options.some(({ optionId }) => optionId === wish)) return wish;
  const ofKind = options.filter(({ kind }) => kind === wish);
  return ofKind.length === 1 ? (ofKind[0]?.optionId ?? null) : null;
}

/** The kind of the chosen option, for example `allow_once` or `reject_always`. Null when none is chosen. */
export function chosenKind(request: JsonObject, answer: Json): string | null {
  const chosen = chosenOption(request, answer);
  return optionsIn(request).find(({ optionId }) => optionId === chosen)?.kind ?? null;
}

/** The reply to the agent for a closed suspension; null while it is open. */
export function toAgentAnswer(suspension: StoredSuspension): PermissionAnswer | null {
  switch (suspension.status) {
    case "open":
      return null;
    case "answered": {
      const optionId = chosenOption(suspension.request, suspension.answer);
      return optionId === null ? { outcome: "cancelled" } : { outcome: "selected", optionId };
    }
    case "expired": {
      const rejection = optionsIn(suspension.request).find(({ kind }) => kind === "reject_once");
      return rejection === undefined
        ? { outcome: "cancelled" }
        : { outcome: "selected", optionId: rejection.optionId };
    }
    case "withdrawn":
    case "released":
      return { outcome: "cancelled" };
    default:
      return suspension.status satisfies never;
  }
}

/** Marks an answer that a person gave to an earlier process. */
const CARRIED = "an earlier answer, ";

export interface CarriedAnswer {
  readonly optionId: string;
  readonly by: string;
}

/**
 * The answer to the same question that an earlier process of the run asked: same tool, same input, and not yet used. Any
 * other question is asked again.
 */
export function carriedAnswer(
  suspensions: readonly StoredSuspension[],
  { runId, fingerprint, request }: Pick<StoredSuspension, "runId" | "fingerprint" | "request">,
): CarriedAnswer | null {
  const earlier = earlierAnswer(suspensions, { runId, kind: "permission", fingerprint });
  if (earlier === null) return null;
  const kind = chosenKind(earlier.request, earlier.answer);
  const same = optionsIn(request).filter((option) => kind !== null && option.kind === kind);
  const [option] = same;
  if (option === undefined || same.length > 1) return null;
  return { optionId: option.optionId, by: carriedBy(earlier) };
}

/** The same question of an earlier process of the run, if a person answered it and the answer was not carried over yet. */
export function earlierAnswer(
  suspensions: readonly StoredSuspension[],
  { runId, kind, fingerprint }: Pick<StoredSuspension, "runId" | "kind" | "fingerprint">,
): StoredSuspension | null {
  if (fingerprint === null) return null;
  const used = new Set(suspensions.flatMap(({ answeredBy }) => carriedFrom(answeredBy) ?? []));
  const earlier = suspensions.find(
    (each) =>
      each.runId === runId &&
      each.kind === kind &&
      each.status === "answered" &&
      each.fingerprint === fingerprint &&
      carriedFrom(each.answeredBy) === null &&
      !isByPolicy(each.answeredBy) &&
      !used.has(each.id),
  );
  return earlier ?? null;
}

/** The author of a carried answer. */
export function carriedBy({ id }: Pick<StoredSuspension, "id">): string {
  return `${CARRIED}${id}`;
}

/** The suspension whose answer was carried over; null for an answer to the question itself. */
export function carriedFrom(answeredBy: string | null): string | null {
  return answeredBy?.startsWith(CARRIED) === true ? answeredBy.slice(CARRIED.length) : null;
}

/** The outcome of a permission, as a sentence for an agent that did not get the answer. */
export function describePermission(suspension: StoredSuspension): string {
  const question = `You asked for permission: ${permissionTitle(suspension)}.`;
  if (suspension.status === "expired")
    return `${question} Nobody answered in time: it was REJECTED.`;
  if (suspension.status !== "answered")
    return `${question} It was not answered: ${suspension.status}`;
  const chosen = chosenOption(suspension.request, suspension.answer);
  const kind = chosenKind(suspension.request, suspension.answer) ?? chosen ?? "no";
  switch (verdictOf(suspension)) {
    case "allowed":
      return `${question} The user ALLOWED it (${kind}).`;
    case "rejected":
      return `${question} The user REJECTED it (${kind}).`;
    default:
      return `${question} The user answered: ${kind}.`;
  }
}

/** Null when the chosen option is neither, and when nobody decided. */
export function verdictOf(suspension: StoredSuspension): "allowed" | "rejected" | null {
  if (suspension.status === "expired") return "rejected";
  if (suspension.status !== "answered") return null;
  const kind = chosenKind(suspension.request, suspension.answer) ?? "";
  if (kind.startsWith("allow")) return "allowed";
  return kind.startsWith("reject") ? "rejected" : null;
}

/** The action, in quotes and on one line. */
export function permissionTitle({ request, kind }: StoredSuspension): string {
  const title = textIn(request, "title") ?? kind;
  return `"${title.replaceAll(/\s+/gu, " ").trim()}"`;
}

function optionsIn(request: JsonObject): readonly Option[] {
  const options = request["options"];
  if (!Array.isArray(options)) return [];
  return options.flatMap((option: Json): Option[] => {
    const optionId = textIn(option, "optionId");
    return optionId === null ? [] : [{ optionId, kind: textIn(option, "kind") }];
  });
}

function textIn(value: Json, key: string): string | null {
  const text = isObject(value) ? value[key] : null;
  return typeof text === "string" ? text : null;
}
