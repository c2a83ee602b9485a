import { checkAnswer, type ElicitationAnswer } from "../../domain/elicitation/check-answer.ts";
import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import type { StoredSuspension } from "../../storage/store.ts";
import { patternMatcher } from "./pattern-matcher.ts";

/** The reply to the agent for a closed elicitation; null while it is open. Without a decision of a person it is `cancel`. */
export function toElicitationAnswer({
  status,
  request,
  answer,
}: StoredSuspension): ElicitationAnswer | null {
  switch (status) {
    case "open":
      return null;
    case "answered": {
      const checked = checkAnswer(request, answer, patternMatcher());
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
  const answer = status === "answered" ? toElicitationAnswer(suspension) : null;
  if (answer === null) return "It was withdrawn: nobody will answer it.";
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
