import { isArray, isObject, type Json, type JsonObject } from "../json.ts";
import type { Closing, Suspension } from "../suspension.ts";
import { isSecretField } from "./secret-fields.ts";

/** Question and answer of a closed elicitation, for the transcript. The first line is the question. */
export function closingNotice({ request }: Suspension, closing: Closing): string {
  const title = textIn(request["title"]) ?? "The agent asked for input";
  const message = textIn(request["message"]) ?? title;
  const rest = message.startsWith(title) ? message.slice(title.length).trim() : message;
  const url = request["mode"] === "url" ? textIn(request["url"]) : null;
  const lines = [title, rest, url ?? "", ...closingLines(request, closing)];
  return lines.filter((line) => line !== "").join("\n");
}

function closingLines(request: JsonObject, closing: Closing): readonly string[] {
  switch (closing.how) {
    case "answered":
      return answerLines(request, closing.answer);
    case "withdrawn":
      return ["Withdrawn by the agent"];
    case "expired":
      return ["Nobody answered in time"];
    case "released":
      return ["Not answered: the run has ended"];
    default:
      return closing satisfies never;
  }
}

function answerLines(request: JsonObject, answer: Json): readonly string[] {
  const { action, content } = isObject(answer) ? answer : {};
  if (action === "decline") return ["Declined"];
  if (action === "cancel") return ["Cancelled"];
  if (request["mode"] === "url") return ["Opened"];
  const values = Object.entries(isObject(content) ? content : {});
  if (values.length === 0) return ["Answered without values"];
  const { schema } = request;
  const fields = isObject(schema) && isObject(schema["properties"]) ? schema["properties"] : {};
  return values.map(([name, value]) => valueLine(name, fields[name], value));
}

function valueLine(name: string, field: Json | undefined, value: Json | undefined): string {
  const schema = isObject(field) ? field : {};
  const label = textIn(schema["title"]) ?? name;
  if (isSecretField(schema)) return `${label}: (not shown)`;
  const titles = titlesIn(schema);
  const textOf = (one: Json | undefined): string => {
    if (typeof one === "boolean") return one ? "Yes" : "No";
    return typeof one === "string" ? (titles.get(one) ?? one) : JSON.stringify(one);
  };
  if (value === undefined || !isArray(value)) return `${label}: ${textOf(value)}`;
  return `${label}: ${value.length === 0 ? "None" : value.map(textOf).join(", ")}`;
}

/** The titles of the choices by value. */
function titlesIn(schema: JsonObject): ReadonlyMap<string, string> {
  const source = isObject(schema["items"]) ? schema["items"] : schema;
  const titled = source["oneOf"] ?? source["anyOf"];
  const pairs = (titled !== undefined && isArray(titled) ? titled : []).flatMap(
    (choice): [string, string][] => {
      const { const: value, title } = isObject(choice) ? choice : {};
      const text = textIn(title);
      return typeof value === "string" && text !== null ? [[value, text]] : [];
    },
  );
  return new Map(pairs);
}

function textIn(value: Json | undefined): string | null {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}
