import { z } from "zod";

/** A JSON Schema, as far as the page shows it. */
const schemaSchema = z.object({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  default: z.unknown().optional(),
  format: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  maxItems: z.number().optional(),
  required: z.array(z.string()).optional(),
  get properties() {
    return z.record(z.string(), schemaSchema).optional();
  },
  get items() {
    return schemaSchema.optional();
  },
  get anyOf() {
    return z.array(schemaSchema).optional();
  },
});
export type Schema = z.infer<typeof schemaSchema>;

const contentSchema = z.record(z.string(), z.object({ schema: schemaSchema }));

const operationSchema = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().optional(),
  tags: z.array(z.string()),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.string(),
        required: z.boolean().optional(),
        description: z.string().optional(),
        schema: schemaSchema,
      }),
    )
    .default([]),
  requestBody: z.object({ required: z.boolean(), content: contentSchema }).optional(),
  responses: z.record(
    z.string(),
    z.object({ description: z.string(), content: contentSchema.optional() }),
  ),
});
export type Operation = z.infer<typeof operationSchema>;

const descriptionSchema = z.object({
  info: z.object({ title: z.string(), version: z.string(), description: z.string() }),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  components: z.object({ schemas: z.record(z.string(), schemaSchema) }),
});

/** The OpenAPI document, as far as the page shows it. */
export type Description = z.infer<typeof descriptionSchema>;

export function parseDescription(document: unknown): Description {
  return descriptionSchema.parse(document);
}
