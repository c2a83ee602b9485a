import { z } from "zod";
import { isJsonWithin, LIMITS } from "./limits.ts";

/** A missing body counts as `{}`. */
export function orEmpty<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((body) => body ?? {}, schema);
}

interface Body {
  readonly text?: unknown;
  readonly content?: unknown;
}

/** Arguments of `refine` for a body that carries a message either as `text` or as `content`. */
export const TEXT_OR_CONTENT = [
  ({ text, content }: Body): boolean => (text === undefined) !== (content === undefined),
  "must have either text or content",
] as const;

/** Arguments of `refine` for a body with an `answer`. */
export const ANSWER_WITHIN_LIMITS: [
  (body: { readonly answer?: unknown }) => boolean,
  { path: string[]; message: string },
] = [
  ({ answer }) => isJsonWithin(answer, LIMITS.answerBytes),
  {
    path: ["answer"],
    message: `must be at most 1 MiB of JSON, nested at most ${LIMITS.jsonDepth} deep`,
  },
];

export const nameSchema = z.string().min(1).max(LIMITS.nameLength);
