import { isObject, type Json, type JsonObject } from "../json.ts";
import { checkValue, type Matcher } from "./check-value.ts";
import { parseForm, type Form } from "./form.ts";

export type ElicitationAnswer =
  /** For a URL: the person opened it. It has no content. */
  | { readonly action: "accept"; readonly content?: JsonObject }
  /** The person does not want to give it. */
  | { readonly action: "decline" }
  /** Nobody decided. */
  | { readonly action: "cancel" };

export interface FieldProblem {
  /** The name of the field; empty for the whole answer. */
  readonly field: string;
  readonly message: string;
}

export type CheckedAnswer =
  | { readonly ok: true; readonly answer: ElicitationAnswer }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

/** Checks an answer before it is stored. Nothing is added to it: a field without a value stays away. */
export function checkAnswer(request: JsonObject, answer: Json, matches: Matcher): CheckedAnswer {
  if (!isObject(answer)) return no(SHAPE);
  const { action, content = null, ...others } = answer;
  const [other] = Object.keys(others);
  if (other !== undefined)
    return no(`has an unknown part ${JSON.stringify(other.slice(0, 80))}; ${SHAPE}`);
  switch (action) {
    case "decline":
    case "cancel":
      return content === null
        ? { ok: true, answer: { action } }
        : no("has content only if it accepts");
    case "accept":
      return request["mode"] === "url" ? acceptUrl(content) : acceptForm(request, content, matches);
    default:
      return no(SHAPE);
  }
}

const SHAPE =
  'must be {"action":"accept","content":{…}}, {"action":"decline"} or {"action":"cancel"}';

function acceptUrl(content: Json): CheckedAnswer {
  const isEmpty = content === null || (isObject(content) && Object.keys(content).length === 0);
  return isEmpty ? { ok: true, answer: { action: "accept" } } : no("has no content for a URL");
}

function acceptForm(request: JsonObject, content: Json, matches: Matcher): CheckedAnswer {
  const parsed = parseForm(request["schema"]);
  if (!parsed.ok) return no(`cannot be accepted, because ${parsed.problem}`);
  if (content !== null && !isObject(content)) return no("must have an object as its content");
  const given = content ?? {};
  const problems = [...missing(parsed.form, given), ...wrong(parsed.form, given, matches)];
  return problems.length === 0
    ? { ok: true, answer: { action: "accept", content: given } }
    : { ok: false, problems };
}

function missing({ required }: Form, content: JsonObject): readonly FieldProblem[] {
  return required
    .filter((name) => !Object.hasOwn(content, name))
    .map((field) => ({ field, message: "is required" }));
}

/** The number of problems of one reply. */
const MAX_PROBLEMS = 100;

function wrong({ fields }: Form, content: JsonObject, matches: Matcher): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const [name, value] of Object.entries(content)) {
    if (problems.length >= MAX_PROBLEMS) break;
    const field = fields.get(name);
    const message =
      field === undefined
        ? "is not a field of this form"
        : value === null
          ? "has no value; leave it out"
          : checkValue(field, value, matches);
    if (message !== null) problems.push({ field: name.slice(0, MAX_NAME), message });
  }
  return problems;
}

const MAX_NAME = 200;

function no(message: string): CheckedAnswer {
  return { ok: false, problems: [{ field: "", message }] };
}
