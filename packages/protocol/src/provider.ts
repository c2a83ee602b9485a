import { z } from "zod";

const choiceSchema = z.object({ id: z.string(), name: z.string() }).meta({ id: "Choice" });

export const providerSchema = z
  .object({
    name: z.string(),
    title: z.string(),
    installed: z.boolean(),
    command: z.array(z.string()).describe("what would be run"),
    install: z.string().nullable().describe("how to get it, as a command to type"),
    models: z.array(choiceSchema),
    modes: z.array(choiceSchema),
    commands: z
      .array(
        z.object({
          name: z.string(),
          description: z.string(),
          hint: z.string().nullable().describe("what to type after it"),
        }),
      )
      .describe("what can be typed at the beginning of a message, as an agent last told"),
    capabilities: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("what the agent said about itself when one last ran; null before"),
  })
  .meta({ id: "Provider" });
export type Provider = z.infer<typeof providerSchema>;

export const providersReplySchema = z
  .object({ providers: z.array(providerSchema), defaultProvider: z.string() })
  .meta({ id: "Providers" });
export type ProvidersReply = z.infer<typeof providersReplySchema>;
