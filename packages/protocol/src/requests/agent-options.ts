import { z } from "zod";
import { nameSchema } from "../fields/body.ts";

const optionValueSchema = z.union([z.string(), z.boolean()]);

/** At most this many options in a request. */
const MAX_OPTIONS = 50;
const optionIdSchema = z.string().min(1).max(400);
const valueInputSchema = z.union([z.string().max(400), z.boolean()], "must be a text or a boolean");
const FEW = `must have at most ${MAX_OPTIONS} options`;

export const modeInputSchema = nameSchema;
/** Options of an agent by their ID. */
export const optionsInputSchema = z
  .record(optionIdSchema, valueInputSchema)
  .refine((options) => Object.keys(options).length <= MAX_OPTIONS, FEW);
export const optionChangesInputSchema = z
  .record(optionIdSchema, valueInputSchema.nullable())
  .refine((options) => Object.keys(options).length <= MAX_OPTIONS, FEW);

export const optionValuesSchema = z.record(z.string(), optionValueSchema);
export type OptionValues = z.infer<typeof optionValuesSchema>;

/** What a message chose for its own run. */
export const runSettingsSchema = z
  .object({ mode: z.string().optional(), options: optionValuesSchema.optional() })
  .meta({ id: "RunSettings" });
export type RunSettings = z.infer<typeof runSettingsSchema>;

export const agentOptionSchema = z
  .object({
    id: z.string().describe("`mode` and `model` for these two, otherwise the agent's own ID"),
    name: z.string(),
    description: z.string().nullable(),
    category: z.string().nullable().describe("the agent's word for its purpose"),
    type: z.enum(["select", "boolean"]),
    value: optionValueSchema
      .nullable()
      .describe("the value for the next message; null if it is not known"),
    choices: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          description: z.string().nullable(),
        }),
      )
      .describe("empty for a boolean option"),
  })
  .meta({ id: "AgentOption" });
export type AgentOption = z.infer<typeof agentOptionSchema>;

export const optionsReplySchema = z
  .object({
    provider: z.string().describe("the provider of the next message"),
    options: z
      .array(agentOptionSchema)
      .describe("empty if no agent of the provider has been started yet, or if it offers none"),
  })
  .meta({ id: "AgentOptions" });
export type OptionsReply = z.infer<typeof optionsReplySchema>;
