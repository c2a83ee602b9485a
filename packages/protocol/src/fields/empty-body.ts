import { z } from "zod";

/** A missing body counts as `{}`. */
export function orEmpty<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((body) => body ?? {}, schema);
}
