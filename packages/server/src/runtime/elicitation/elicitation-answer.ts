import { checkAnswer, type ElicitationAnswer } from "../../domain/elicitation/check-answer.ts";
import { missingSecrets, withSecrets } from "../../domain/elicitation/secret-fields.ts";
import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import type { StoredSuspension } from "../../storage/store.ts";
import { patternMatcher } from "./pattern-matcher.ts";

/**
 * The reply to the agent for a closed elicitation; null while it is open. Without a decision of a person it is `cancel`.
 * `lost`: the person gave secrets, which are not stored, and they are not in `secrets`.
 */
export function toElicitationAnswer(
  { status, request, answer }: StoredSuspension,
  secrets: JsonObject | null,
): ElicitationAnswer | "lost" | null {
  switch (status) {
    case "open":
      return null;
    case "answered": {
      const whole = withSecrets(answer, secrets);
      if (whole === null && answer !== null) return "lost";
      const checked = checkAnswer(request, whole, patternMatcher());
      return checked.ok ? checked.answer : { action: "cancel" };
    }
    case "expired":
    case "withdrawn":
    case "released":
      return { action: "cancel" };
    default:
      return status satisfies never;
  }
}

/** What was asked and answered, for an agent that did not get the answer. */
export function describeElicitation(suspension: StoredSuspension): string {
  const { request } = suspension;
  const message = textIn(request, "message") ?? textIn(request, "title") ?? "";
  const about = request["mode"] === "url" ? ` They were to open ${textIn(request, "url")}.` : "";
  return `You asked the user: ${JSON.stringify(message)}${about} ${endOf(suspension)}`;
}

function endOf(suspension: StoredSuspension): string {
  const { status, request } = suspension;
  if (status === "expired") return "Nobody answered in time.";
  if (status === "answered" && missingSecrets(suspension.answer).length > 0)
    return endWithoutSecrets(suspension);
  const answer = status === "answered" ? toElicitationAnswer(suspension, null) : null;
  if (answer === null || answer === "lost") return "It was withdrawn: nobody will answer it.";
  switch (answer.action) {
    case "accept":
      if (request["mode"] === "url") return "The user opened the page.";
      return `The user answered exactly this: ${JSON.stringify(answer.content ?? {})}${fieldsOf(request, answer.content ?? {})}`;
    case "decline":
      return "The user DECLINED to answer. Do not ask this again.";
    case "cancel":
      return "The user closed the question without an answer.";
    default:
      return answer satisfies never;
  }
}

/** A prompt is kept in the agent's history, so secrets are not told in it. */
function endWithoutSecrets({ request, answer }: StoredSuspension): string {
  const content = isObject(answer) && isObject(answer["content"]) ? answer["content"] : {};
  const secrets = missingSecrets(answer);
  const others = Object.fromEntries(
    Object.entries(content).filter(([name]) => !secrets.includes(name)),
  );
  const names = secrets.map((name) => JSON.stringify(name)).join(", ");
  const values =
    Object.keys(others).length === 0
      ? ""
      : ` The other values are exactly these: ${JSON.stringify(others)}${fieldsOf(request, others)}`;
  return `The user answered, but the answer contains secrets (${names}), which are not stored. Ask exactly the same again to get them.${values}`;
}

/** The names of fields are often short IDs, so the titles and texts of the answered ones follow. */
function fieldsOf(request: JsonObject, content: JsonObject): string {
  const { schema } = request;
  const properties = isObject(schema) ? schema["properties"] : null;
  if (!isObject(properties)) return "";
  const lines = Object.entries(content).flatMap(([name, value]) => {
    const field = properties[name];
    const words = [textIn(field ?? null, "title"), textIn(field ?? null, "description")].filter(
      (text) => text !== null && text !== "",
    );
    if (words.length === 0) return [];
    return [`\n  - ${JSON.stringify(words.join(": "))} (${name}): ${JSON.stringify(value)}`];
  });
  return lines.join("");
}

function textIn(value: Json, key: string): string | null {
  const text = isObject(value) ? value[key] : null;
  return typeof text === "string" ? text : null;
}
