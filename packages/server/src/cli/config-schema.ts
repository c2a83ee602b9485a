import { z } from "zod";

const variable = z
  .string()
  .regex(/^[A-Za-z_]\w*$/u, "a variable's name has letters, digits and underscores");
const word = z
  .string()
  .min(1, "must not be empty")
  .refine((text) => !text.includes("\0"), "must not contain a NUL");

const acpProvider = z.strictObject({
  type: z.literal("acp"),
  title: word.max(80).optional(),
  command: z.array(word).min(1, "must name a program").max(100).optional(),
  env: z.record(variable, z.string()).optional(),
  passEnv: z.array(variable).optional(),
  mode: word.nullable().optional(),
  models: z.array(word).max(200).optional(),
  mounts: z.array(word).max(100).optional(),
});

/** Known, so that a file made for a later version is understood well enough to be refused. */
const modelProvider = z.looseObject({ type: z.literal("model") });

const minutes = z.number().positive().max(20_160, "must be at most two weeks");
const hours = z.number().positive().max(876_000, "must be at most a hundred years");
const days = z.number().positive().max(36_500, "must be at most a hundred years");

/** The config file as it may be written. Everything in it is optional. */
export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  providers: z
    .record(
      z
        .string()
        .regex(
          /^[a-z][a-z0-9-]{0,31}$/u,
          "a provider's name begins with a letter and has small letters, digits and dashes",
        ),
      z.discriminatedUnion("type", [acpProvider, modelProvider]),
    )
    .optional(),
  defaultProvider: word.optional(),
  sandbox: z.enum(["auto", "required", "off"]).optional(),
  permissions: z
    .strictObject({
      rules: z.array(z.unknown()).optional(),
      phases: z.record(z.string(), z.array(z.unknown())).optional(),
    })
    .optional(),
  limits: z
    .strictObject({
      liveAgents: z.int().min(1).max(1_000).optional(),
      queue: z.int().min(1).max(100_000).optional(),
      retries: z.int().min(0).max(20).optional(),
      idleMinutes: minutes.optional(),
      silentMinutes: minutes.optional(),
    })
    .optional(),
  retention: z
    .strictObject({
      errorHours: hours.optional(),
      suspendedDays: days.optional(),
      resumableDays: days.optional(),
      bundleDays: days.optional(),
      autoArchiveDays: days.nullable().optional(),
    })
    .optional(),
});

export type WrittenConfig = z.infer<typeof configSchema>;

/** The names that may stand at a path. */
export function knownNames(path: readonly PropertyKey[]): readonly string[] {
  const { shape } = configSchema;
  switch (path[0]) {
    case undefined:
      return Object.keys(shape);
    case "providers":
      return path.length === 2 ? Object.keys(acpProvider.shape) : [];
    case "limits":
      return Object.keys(shape.limits.unwrap().shape);
    case "retention":
      return Object.keys(shape.retention.unwrap().shape);
    case "permissions":
      return Object.keys(shape.permissions.unwrap().shape);
    default:
      return [];
  }
}
