import { z } from "zod";

/** One error in a request. */
export const fieldErrorSchema = z
  .object({
    field: z
      .string()
      .describe("path of the field, such as content.0.text; empty for the whole body or query"),
    message: z.string(),
  })
  .meta({ id: "FieldError" });
export type FieldError = z.infer<typeof fieldErrorSchema>;
