import { isObject } from "@holdfast/client";
import { elicitationAnswerSchema, type OpenSuspension } from "@holdfast/protocol";
import {
  isSpecType,
  type ClientCapabilities,
  type InputRequest,
} from "@modelcontextprotocol/server";
import { choicesOf, titleOf, type Choice } from "../choices.ts";
import { textOf } from "../text-of.ts";

/** What a client may be asked for: the forms and pages that it said it can show. */
export type Asks = Pick<ClientCapabilities, "elicitation">;

/** A question for a person, as a tool result tells it. */
export interface OpenQuestion {
  readonly id: string;
  readonly kind: OpenSuspension["kind"];
  readonly title: string;
  readonly options: { readonly id: string; readonly name: string }[];
}

export function questionOf(suspension: OpenSuspension): OpenQuestion {
  const { id, kind } = suspension;
  const options = choicesOf(suspension).map((choice) => ({ id: choice.id, name: choice.name }));
  return { id, kind, title: titleOf(suspension), options };
}

/** Whether a person can end the wait. The others end with something outside, or by themselves. */
export function isForPeople({ kind }: Pick<OpenSuspension, "kind">): boolean {
  return (
    kind === "permission" ||
    kind === "budget" ||
    kind === "login" ||
    kind === "question" ||
    kind === "elicitation"
  );
}

/** The question as the client's own dialog; null if the client cannot show it. */
export function askFor(suspension: OpenSuspension, asks: Asks): InputRequest | null {
  const { kind } = suspension;
  const message = messageOf(suspension);
  switch (kind) {
    case "permission":
    case "budget":
    case "login":
      return form(asks, message, { answer: chooseFrom(choicesOf(suspension)) });
    case "question":
      return form(asks, message, {
        answer: { type: "string", title: "Answer", ...hintOf(suspension) },
      });
    case "elicitation":
      return elicitation(suspension, asks, message);
    case "rate_limit":
    case "event":
    case "tool_result":
    case "shutdown":
      return null;
    default:
      return kind satisfies never;
  }
}

/**
 * The answer to store for a person's response to `askFor`; undefined if it is none. Who closes a dialog has not answered.
 * Who declines a permission has refused it.
 */
export function answerFrom(suspension: OpenSuspension, response: unknown): unknown {
  const parsed = elicitationAnswerSchema.safeParse(response);
  if (!parsed.success || parsed.data.action === "cancel") return undefined;
  const answer = parsed.data;
  if (suspension.kind === "elicitation") return answer;
  if (answer.action === "accept") return answer.content?.["answer"];
  return suspension.kind === "question" ? undefined : refusalOf(suspension);
}

/** The answer to store for what a program or a model gives: an option may also be named. */
export function answerOf(suspension: OpenSuspension, given: unknown): unknown {
  if (suspension.kind === "elicitation" && isObject(given) && !("action" in given))
    return { action: "accept", content: given };
  if (typeof given !== "string") return given;
  const choices = choicesOf(suspension);
  const chosen =
    choices.find(({ id }) => id === given) ??
    choices.find(({ kind }) => kind === given) ??
    choices.find(({ name }) => name.toLowerCase() === given.trim().toLowerCase());
  return chosen?.id ?? given;
}

function messageOf(suspension: OpenSuspension): string {
  const { kind, request } = suspension;
  const title = titleOf(suspension);
  if (kind === "elicitation") return textOf(request["message"]) ?? title;
  const input = request["input"];
  return isObject(input)
    ? `${title}\n\n${JSON.stringify(input, null, 2).slice(0, MAX_INPUT)}`
    : title;
}

const MAX_INPUT = 4_000;

function refusalOf(suspension: OpenSuspension): string | undefined {
  const kinds = ["reject_once", "reject_always"];
  return choicesOf(suspension).find(({ kind }) => kind !== null && kinds.includes(kind))?.id;
}

function hintOf(suspension: OpenSuspension): { readonly description?: string } {
  const hints = choicesOf(suspension).map(({ name }) => name);
  return hints.length === 0 ? {} : { description: `For example: ${hints.join(", ")}` };
}

type Fields = Readonly<Record<string, unknown>>;

function chooseFrom(choices: readonly Choice[]): Fields {
  const oneOf = choices.map(({ id, name }) => ({ const: id, title: name }));
  return { type: "string", title: "Answer", oneOf };
}

function form(asks: Asks, message: string, properties: Fields): InputRequest | null {
  return formWith(asks, message, { type: "object", properties, required: Object.keys(properties) });
}

function formWith({ elicitation }: Asks, message: string, schema: Fields): InputRequest | null {
  // A client that names no mode has forms.
  const hasForms =
    elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  if (!hasForms) return null;
  return elicit({ mode: "form", message, requestedSchema: schema });
}

function elicitation(
  { id, request }: OpenSuspension,
  asks: Asks,
  message: string,
): InputRequest | null {
  if (request["mode"] === "url") {
    const url = textOf(request["url"]);
    if (url === null || asks.elicitation?.url === undefined) return null;
    return elicit({ mode: "url", message, url, elicitationId: id });
  }
  const { schema } = request;
  return isObject(schema) ? formWith(asks, message, schema) : null;
}

/** Null for a form that MCP cannot express. */
function elicit(params: Fields): InputRequest | null {
  const request = { method: "elicitation/create", params };
  return isSpecType.ElicitRequest(request) ? request : null;
}
