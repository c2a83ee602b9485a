import { z } from "zod";

/** No body at all means the same as `{}`. */
export function orEmpty<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((body) => body ?? {}, schema);
}
