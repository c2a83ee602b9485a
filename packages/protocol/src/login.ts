import { z } from "zod";

export const LOGIN_WAYS = ["terminal", "agent", "variable"] as const;

/** A way to log in that an agent offers. */
export const loginMethodSchema = z
  .looseObject({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    how: z
      .enum(LOGIN_WAYS)
      .describe(
        "terminal: a program at a terminal; agent: the agent does it, and may name a page and a code; variable: a key in a variable",
      ),
    variables: z.array(z.string()).optional().describe("the variables that must be set"),
    command: z.string().optional().describe("the command that logs in, on the server's machine"),
  })
  .meta({ id: "LoginMethod" });
export type LoginMethod = z.infer<typeof loginMethodSchema>;

export const loginStatusSchema = z
  .object({
    state: z
      .enum(["in", "out", "unknown"])
      .describe("as an agent last reported it; unknown if none has"),
    label: z.string().nullable().describe("the account, or the kind of key"),
  })
  .meta({ id: "LoginStatus" });
export type LoginStatus = z.infer<typeof loginStatusSchema>;

/** The request of a suspension of the kind `login`. Its answer is `{action: "retry"}` or `{action: "cancel"}`. */
export const loginRequestSchema = z
  .looseObject({
    title: z.string(),
    provider: z.string(),
    methods: z.array(loginMethodSchema).catch([]),
  })
  .meta({ id: "LoginRequest" });
export type LoginRequest = z.infer<typeof loginRequestSchema>;

export const startLoginRequestSchema = z
  .strictObject({
    method: z
      .string()
      .min(1)
      .max(400)
      .optional()
      .describe("a method that the agent does itself; without one, somebody has logged in already"),
  })
  .meta({ id: "StartLogin" });
export type StartLoginRequest = z.infer<typeof startLoginRequestSchema>;

export const providerParamsSchema = z.object({ name: z.string().min(1).max(100) });

export const providerLoginSchema = z
  .object({
    state: z.enum(["none", "starting", "waiting", "done", "failed"]),
    url: z.string().nullable().describe("while it waits: the page to open"),
    code: z.string().nullable().describe("while it waits: the code to type on the page"),
    message: z.string().nullable().describe("the text of the agent, or why it failed"),
    released: z.int().describe("after a login: how many runs that waited for it went on"),
  })
  .meta({ id: "ProviderLogin" });
export type ProviderLogin = z.infer<typeof providerLoginSchema>;
