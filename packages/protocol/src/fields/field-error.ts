import { z } from "zod";

/** One thing wrong with a request, with the field it is about. */
export const fieldErrorSchema = z
  .object({
    field: z.string().describe("such as metadata.a or content.0.text; empty for the whole"),
    message: z.string(),
  })
  .meta({ id: "FieldError" });
export type FieldError = z.infer<typeof fieldErrorSchema>;
