import { agentIdSchema } from "@holdfast/protocol";
import { z } from "zod";
import { isObject, type JsonObject } from "../../domain/json.ts";
import { isFinal, PHASES, type PhaseChange } from "../../domain/phase.ts";
import { parseStateTime } from "./state-time.ts";

/** A `state.json` with an invalid field. Only this file is skipped. */
export class BadState extends Error {}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

/** A session without an agent ID was exported under its own ID. */
export function isSessionId(name: string): boolean {
  return UUID.test(name);
}

// Each message completes the sentence "The field is not …".
const phaseSchema = z.enum(PHASES, "a phase");
const textSchema = z.string("a text").nullish();
const objectSchema = z.custom<JsonObject>(isObject, "an object");
const timeSchema = z.string("a time").transform((value, context) => {
  const at = parseStateTime(value);
  if (at === null) context.issues.push({ code: "custom", message: "a time", input: value });
  return at ?? 0;
});

export const phaseChangeSchema = objectSchema
  .pipe(z.object({ from_phase: phaseSchema, to_phase: phaseSchema, timestamp: timeSchema }))
  .transform(({ from_phase: from, to_phase: to, timestamp: at }): PhaseChange => ({
    from,
    to,
    at,
  }));

/** The first invalid field in this order is reported. */
const stateSchema = z.object({
  agent_id: z
    .string("a text")
    .refine(
      (name) => isSessionId(name) || agentIdSchema.safeParse(name).success,
      "1 to 128 letters, digits, dots, colons, hyphens or underscores",
    ),
  phase: phaseSchema,
  created_at: timeSchema,
  history: z.array(phaseChangeSchema, "a list").nullish(),
  last_updated: timeSchema.nullish(),
  /** GAIA's scripts write an object with a message and a time; its documentation has a text. */
  last_error: z.union([z.string(), objectSchema], "a text").nullish(),
  finalized_at: timeSchema.nullish(),
  summary: textSchema,
  agent_name: textSchema,
  purpose: textSchema,
  metadata: objectSchema.nullish(),
  resume_ready: z.boolean("true or false").nullish(),
  error_count: z.int("a whole number from 0").min(0, "a whole number from 0").nullish(),
});

/** Throws `BadState` with the path of an invalid field. */
export function parseFields(state: JsonObject): z.infer<typeof stateSchema> {
  const { finalized_at: _at, summary: _summary, ...open } = state;
  const isOver = PHASES.some((each) => each === state["phase"] && isFinal(each));
  const { data, error } = stateSchema.safeParse(isOver ? state : open, { reportInput: true });
  if (error === undefined) return data;
  const [issue] = error.issues;
  const keys = issue?.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`));
  const field = keys?.join("").slice(1);
  if (issue?.input === undefined) throw new BadState(`${field} is missing`);
  throw new BadState(`${field} is not ${issue.message}: ${shortened(JSON.stringify(issue.input))}`);
}

const MAX_SHOWN = 60;

function shortened(value: string): string {
  return value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value;
}
