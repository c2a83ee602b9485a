import { z } from "zod";

/** A comma-separated list. */
export function listOf<Values extends Readonly<Record<string, string>>>(value: z.ZodEnum<Values>) {
  return z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(value));
}
