import { mcpServersSchema } from "@holdfast/protocol";
import { z } from "zod";
import { MAX_RULES, whyNoPathPattern, whyNoPattern } from "../../domain/policy/parse-policy.ts";
import { PERMISSION_DECISIONS } from "../../domain/policy/permission-policy.ts";
import { PHASES } from "../../domain/phase.ts";
import { FURTHER_CHECKS } from "../../domain/should-resume.ts";
import { MODEL_APIS } from "../../providers/model/definition.ts";
import { WORK_TOOLS } from "../../runtime/keep/keep-settings.ts";
import { whyNoHost, whyNoLocal } from "../../providers/network/network-policy.ts";

/** A name or a label of a node, which is used in URLs and in comma-separated lists. */
export const NODE_WORD = /^[!-+\--~]{1,100}$/u;
export const MAX_NODE_LABELS = 32;

/** All settings of a section are optional, and so is the section. */
const section = <Shape extends z.core.$ZodShape>(shape: Shape) =>
  z.strictObject(shape).partial().optional();

const pattern = (whyNot: (text: string) => string | null) =>
  z.string().superRefine((text, context) => {
    const message = whyNot(text);
    if (message !== null) context.addIssue({ code: "custom", message });
  });

const variable = z
  .string()
  .regex(/^[A-Za-z_]\w*$/u, "a variable's name has letters, digits and underscores");
const word = z
  .string()
  .min(1, "must not be empty")
  .refine((text) => !text.includes("\0"), "must not contain a NUL");

const worktreeShape = {
  workspace: z.enum(["shared", "worktree"]).optional(),
  base: word.max(200).optional(),
  copy: z.array(word.max(1_000)).max(100).optional(),
  setup: word.max(10_000).optional(),
  setupMinutes: z.number().min(0.1).max(1_440).optional(),
  into: word.max(200).optional(),
  remote: word.max(2_000).optional(),
  pullRequest: word.max(10_000).optional(),
  agentTools: z.array(z.enum(WORK_TOOLS)).optional(),
};

const nodeWord = z
  .string()
  .regex(NODE_WORD, "must be 1 to 100 printable characters without spaces and commas");

/** A path to mount; the whole file system cannot be mounted. */
const mount = word.regex(
  /^(\/|~\/|\$[A-Za-z_]\w*(\/|$|:ro$))/u,
  'must begin with "/", "~/" or the name of a variable, such as "$HOME/"',
);

const network = z.union([
  z.enum(["open", "off", "shared"]),
  z.strictObject({
    hosts: z.array(pattern(whyNoHost)).max(1_000).optional(),
    local: z.array(pattern(whyNoLocal)).max(50).optional(),
  }),
]);

const acpProvider = z.strictObject({
  type: z.literal("acp"),
  title: word.max(80).optional(),
  command: z.array(word).min(1, "must name a program").max(100).optional(),
  protocol: z.literal([1, 2, "auto"]).optional(),
  env: z.record(variable, z.string()).optional(),
  passEnv: z.array(variable).optional(),
  mode: word.nullable().optional(),
  models: z.array(word).max(200).optional(),
  tools: z.boolean().optional(),
  mounts: z.array(mount).max(100).optional(),
  network: network.optional(),
  mcpServers: mcpServersSchema.optional(),
});

const modelProvider = z.strictObject({
  type: z.literal("model"),
  title: word.max(80).optional(),
  api: z.enum(MODEL_APIS),
  baseUrl: z.url({ protocol: /^https?$/u, error: "must be an http or https URL" }).optional(),
  model: word.max(200),
  models: z.array(word).max(200).optional(),
  apiKeyEnv: variable.optional(),
  maxTokens: z.int().min(1).max(10_000_000).optional(),
  system: word.max(100_000).optional(),
  contextTokens: z.int().min(1_000).max(100_000_000).optional(),
});

const permissionRule = z.strictObject({
  kind: pattern(whyNoPattern).optional(),
  path: pattern(whyNoPathPattern).optional(),
  command: pattern(whyNoPattern).optional(),
  tool: pattern(whyNoPattern).optional(),
  decision: z.enum(PERMISSION_DECISIONS),
});
const permissionRules = z.array(permissionRule).max(MAX_RULES);

const minutes = z.number().positive().max(20_160, "must be at most two weeks");
const hours = z.number().positive().max(876_000, "must be at most a hundred years");
const days = z.number().positive().max(36_500, "must be at most a hundred years");

/** All settings are optional. Each has a function, because creating all schemas would take a tenth of a start. */
const SETTINGS = {
  $schema: () => z.string().optional(),
  providers: () =>
    z
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
  defaultProvider: () => word.optional(),
  workspaceRoot: () =>
    word.regex(/^(\/|~$|~\/)/u, 'must be an absolute path, or begin with "~/"').optional(),
  auth: () => z.enum(["token", "none"]).optional(),
  sandbox: () => z.enum(["auto", "required", "off"]).optional(),
  agents: () =>
    z
      .strictObject({
        host: z.enum(["outside", "inside"]).optional(),
        unattendedSeconds: z.number().min(0).max(86_400).optional(),
        spare: z.int().min(0).max(100).optional(),
      })
      .optional(),
  mcpVariables: () => z.array(variable).max(100).optional(),
  worktrees: () =>
    z
      .strictObject({
        folder: z.enum(["data", "beside"]).optional(),
        ...worktreeShape,
        repositories: z.record(word.max(4_096), z.strictObject(worktreeShape)).optional(),
      })
      .optional(),
  permissions: () =>
    section({
      rules: permissionRules,
      phases: z.partialRecord(z.enum(PHASES), permissionRules),
    }),
  limits: () =>
    section({
      liveAgents: z.int().min(1).max(1_000),
      clusterAgents: z.int().min(1).max(100_000),
      streams: z.int().min(1).max(100_000),
      queue: z.int().min(1).max(100_000),
      retries: z.int().min(0).max(20),
      idleMinutes: minutes,
      silentMinutes: minutes,
      runMessages: z.int().min(100).max(10_000_000),
      runMiB: z.int().min(1).max(1_000_000),
      outputKiB: z.int().min(16).max(4_096),
      rateLimitMinutes: minutes,
      permissionMinutes: minutes,
      briefingTokens: z.int().min(500).max(1_000_000),
      briefingMessages: z.int().min(1).max(10_000),
    }),
  node: () =>
    section({
      name: nodeWord,
      labels: z.array(nodeWord).max(MAX_NODE_LABELS),
      leaseSeconds: z.number().min(1).max(600),
      drainSeconds: z.number().min(0).max(3_600),
    }),
  retention: () =>
    section({
      errorHours: hours,
      suspendedDays: days,
      resumableDays: days,
      bundleDays: days,
      autoArchiveDays: days.nullable(),
    }),
  resume: () =>
    section({
      timeoutMinutes: z.number().positive().max(525_600, "must be at most a year"),
      maxErrors: z.int().min(1).max(1_000_000),
      continueInterrupted: z.int().min(0).max(100),
      require: z.array(z.enum(FURTHER_CHECKS)).max(FURTHER_CHECKS.length),
    }),
};

type Shape = {
  readonly [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]>;
};

/** The schema of a config file in which these settings are written. */
export function configSchema(written: readonly string[]): z.ZodObject<Shape, z.core.$strict> {
  const settings = Object.entries(SETTINGS).filter(([name]) => written.includes(name));
  const shape = Object.fromEntries(settings.map(([name, schema]) => [name, schema()]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all settings are optional, so one that is not written needs no schema
  return z.strictObject(shape as Shape);
}

export type WrittenConfig = z.infer<ReturnType<typeof configSchema>>;

/** The known names at a path. */
export function knownNames(path: readonly PropertyKey[]): readonly string[] {
  switch (path[0]) {
    case undefined:
      return Object.keys(SETTINGS);
    case "providers":
      if (path[2] === "network") return ["hosts", "local"];
      return path.length === 2
        ? [...Object.keys(acpProvider.shape), ...Object.keys(modelProvider.shape)]
        : [];
    case "worktrees":
      return Object.keys(worktreeNames(path.length));
    case "limits":
    case "node":
    case "retention":
    case "resume":
      return Object.keys(SETTINGS[path[0]]().unwrap().shape);
    case "permissions":
      if (path[1] === "phases" && path.length === 2) return PHASES;
      return Object.keys(
        (path.length > 1 ? permissionRule : SETTINGS.permissions().unwrap()).shape,
      );
    default:
      return [];
  }
}

function worktreeNames(depth: number): Readonly<Record<string, unknown>> {
  return depth === 1 ? SETTINGS.worktrees().unwrap().shape : worktreeShape;
}
