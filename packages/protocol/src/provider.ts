import { z } from "zod";
import { loginMethodSchema, loginStatusSchema } from "./login.ts";
import { agentOptionSchema } from "./requests/agent-options.ts";

const choiceSchema = z.object({ id: z.string(), name: z.string() }).meta({ id: "Choice" });

export const providerSchema = z
  .object({
    name: z.string(),
    title: z.string(),
    installed: z.boolean(),
    command: z.array(z.string()).describe("command line of the agent"),
    install: z.string().nullable().describe("command that installs it"),
    login: z.string().nullable().describe("how to log in to it, as a sentence"),
    loginStatus: loginStatusSchema.default({ state: "unknown", label: null }),
    loginMethods: z
      .array(loginMethodSchema)
      .default([])
      .describe("ways to log in, as last offered by an agent"),
    canLogOut: z.boolean().default(false).describe("whether the last agent can log out"),
    version: z.string().nullable().describe("version of the installed program; null if unknown"),
    models: z.array(choiceSchema),
    modes: z.array(choiceSchema),
    options: z
      .array(agentOptionSchema)
      .default([])
      .describe(
        "what the last agent let a client choose, with the values of a new session of it; mode and model included",
      ),
    commands: z
      .array(
        z.object({
          name: z.string(),
          description: z.string(),
          hint: z.string().nullable().describe("placeholder for the argument"),
        }),
      )
      .describe("slash commands, as last reported by an agent"),
    capabilities: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("capabilities reported by the last agent; null if none has run yet"),
  })
  .meta({ id: "Provider" });
export type Provider = z.infer<typeof providerSchema>;

export const providersReplySchema = z
  .object({ providers: z.array(providerSchema), defaultProvider: z.string() })
  .meta({ id: "Providers" });
export type ProvidersReply = z.infer<typeof providersReplySchema>;

export const updateProvidersRequestSchema = z
  .strictObject({
    defaultProvider: z.string().min(1).max(100).describe("name of an installed provider"),
  })
  .meta({ id: "UpdateProviders" });
export type UpdateProvidersRequest = z.infer<typeof updateProvidersRequestSchema>;
