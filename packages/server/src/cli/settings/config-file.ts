import { defined } from "../../domain/defined.ts";
import { errorText } from "../../domain/error-text.ts";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { z } from "zod";
import { completeMcpServers } from "../../domain/mcp-server.ts";
import type { PermissionPolicy } from "../../domain/policy/permission-policy.ts";
import { BUILT_IN } from "../../providers/built-in.ts";
import type { ConfiguredAgent } from "../../providers/configured.ts";
import { DEMO_NAME } from "../../providers/demo/demo-definition.ts";
import type { ConfiguredModel } from "../../providers/model/definition.ts";
import { configSchema, knownNames, type WrittenConfig } from "./config-schema.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { JsonFault, parseJsonWithLines, type JsonWithLines } from "./json-lines.ts";

/** The parsed config file; missing settings are absent. */
export type ConfigFile = ReturnType<typeof toConfig>;

const CONFIG_FILE = "holdfast.config.json";
const MAX_BYTES = 1024 * 1024;
const MAX_COMPLAINTS = 10;

/** Reads the config file of the data folder. A missing file counts as empty; an invalid one ends the command with the line and the reason. */
export function readConfigFile(dataFolder: string): ConfigFile {
  const file = configFileIn(dataFolder);
  const text = readIfThere(file);
  return toConfig(text === null ? {} : parseConfig(file, text));
}

export function configFileIn(dataFolder: string): string {
  return path.join(dataFolder, CONFIG_FILE);
}

/** Ends the command if the text is not a valid config file. */
export function checkConfig(file: string, text: string): void {
  parseConfig(file, text);
}

interface Complaint {
  readonly path: readonly PropertyKey[];
  readonly reason: string;
}

function parseConfig(file: string, text: string): WrittenConfig {
  const json = parseJson(file, text);
  // Without a compiled check, which takes longer than a single one.
  const parsed = configSchema(namesIn(json.value)).safeParse(json.value, { jitless: true });
  const complaints = parsed.success
    ? findUnsupported(parsed.data)
    : parsed.error.issues.flatMap(complaintsOf);
  if (!parsed.success || complaints.length > 0) throw refusal(file, json, complaints);
  return parsed.data;
}

function namesIn(value: unknown): readonly string[] {
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}

function toConfig({ providers = {}, permissions, ...config }: WrittenConfig) {
  const agents = new Map<string, ConfiguredAgent>();
  const models = new Map<string, ConfiguredModel>();
  for (const [name, provider] of Object.entries(providers)) {
    if (provider.type === "acp") agents.set(name, toAgent(provider));
    else models.set(name, withoutType(provider));
  }
  return {
    agents,
    models,
    defaultProvider: config.defaultProvider ?? null,
    workspaceRoot: config.workspaceRoot ?? null,
    auth: config.auth ?? "token",
    sandbox: config.sandbox ?? "auto",
    agentHost: config.agents ?? {},
    mcpVariables: config.mcpVariables ?? [],
    worktrees: config.worktrees ?? {},
    /** Null when the file has no permissions at all. */
    permissions: permissions === undefined ? null : policyOf(permissions),
    limits: config.limits ?? {},
    node: config.node ?? {},
    retention: config.retention ?? {},
    resume: config.resume ?? {},
  };
}

type WrittenAgent = Extract<
  NonNullable<WrittenConfig["providers"]>[string],
  { readonly type: "acp" }
>;

function toAgent({ mcpServers, ...provider }: WrittenAgent): ConfiguredAgent {
  const agent = withoutType(provider);
  return mcpServers === undefined
    ? agent
    : { ...agent, mcpServers: completeMcpServers(mcpServers) };
}

function parseJson(file: string, text: string): JsonWithLines {
  try {
    return parseJsonWithLines(text);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    throw new CommandFailure(`${file}, line ${error.line}: ${error.message}.`, EXIT.usage, {
      cause: error,
    });
  }
}

function refusal(
  file: string,
  json: JsonWithLines,
  complaints: readonly Complaint[],
): CommandFailure {
  const lines = complaints.slice(0, MAX_COMPLAINTS).map(({ path: where, reason }) => {
    const name = where.map(String).join(".");
    const subject = name === "" ? "the file" : name;
    const end = reason.endsWith("?") ? "" : ".";
    return `${file}, line ${json.lineAt(where)}: ${subject}: ${reason}${end}`;
  });
  const more = complaints.length - lines.length;
  return new CommandFailure(
    [...lines, ...(more > 0 ? [`And ${more} more.`] : [])].join("\n"),
    EXIT.usage,
  );
}

/** Messages never repeat a value: it could be a secret. */
function complaintsOf(issue: z.core.$ZodIssue): readonly Complaint[] {
  const { path: where } = issue;
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => {
        const reason = `there is no such setting${hintFor(key, knownNames(where))}`;
        return { path: [...where, key], reason };
      });
    case "invalid_key":
      return [{ path: where, reason: issue.issues[0]?.message ?? "is no name" }];
    case "invalid_union":
      return unionComplaints(issue);
    case "invalid_type":
      return [{ path: where, reason: `must be ${aKind(issue.expected)}` }];
    case "invalid_value":
      return [
        {
          path: where,
          reason: `must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`,
        },
      ];
    case "too_small":
      return [{ path: where, reason: tooSmall(issue) }];
    case "too_big":
      return [{ path: where, reason: tooBig(issue) }];
    default:
      return [{ path: where, reason: issue.message }];
  }
}

/** A provider's type selects its schema; its network is a word or an object. */
function unionComplaints({
  path: where,
  errors,
}: z.core.$ZodIssueInvalidUnion): readonly Complaint[] {
  const [, ofObject = []] = errors;
  if (errors.length === 0) return [{ path: where, reason: 'must be "acp" or "model"' }];
  const inner = ofObject.filter(
    (issue) => issue.path.length > 0 || issue.code === "unrecognized_keys",
  );
  return inner.length > 0
    ? inner.flatMap((issue) => complaintsOf({ ...issue, path: [...where, ...issue.path] }))
    : [{ path: where, reason: 'must be "open", "off", "shared" or an object' }];
}

/** Finds settings that are valid by the schema but contradict each other. */
function findUnsupported({ providers = {}, defaultProvider }: WrittenConfig): readonly Complaint[] {
  const builtIn = BUILT_IN.map(({ name }) => name);
  const names = [DEMO_NAME, ...builtIn, ...Object.keys(providers)];
  const complaints: Complaint[] = [];
  const complain = (where: readonly PropertyKey[], reason: string): void => {
    complaints.push({ path: where, reason });
  };
  for (const [name, provider] of Object.entries(providers)) {
    const where = ["providers", name];
    if (name === DEMO_NAME) complain(where, "the demo agent cannot be configured");
    else if (provider.type === "model") {
      if (builtIn.includes(name))
        complain(where, "the name is that of a built-in agent; a model needs one of its own");
      if (provider.api === "openai-compatible" && provider.baseUrl === undefined)
        complain(where, 'an API that is "openai-compatible" needs a "baseUrl"');
    } else if (provider.command === undefined && !builtIn.includes(name))
      complain(where, 'an agent that is not built in needs a "command"');
  }
  if (defaultProvider !== undefined && !names.includes(defaultProvider))
    complain(["defaultProvider"], `there is no such provider${hintFor(defaultProvider, names)}`);
  return complaints;
}

function policyOf({
  rules = [],
  phases = {},
}: NonNullable<WrittenConfig["permissions"]>): PermissionPolicy {
  const lists = Object.entries(phases).map(([phase, list]) => [phase, list.map(defined)]);
  return { rules: rules.map(defined), phases: Object.fromEntries(lists) };
}

function withoutType<Provider extends { readonly type: string }>({
  type: _,
  ...provider
}: Provider) {
  return defined(provider);
}

function readIfThere(file: string): string | null {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    // A wrong data folder is reported when it is created.
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    const reason = errorText(error);
    throw new CommandFailure(`Cannot read ${file}: ${reason}.`, EXIT.usage, { cause: error });
  }
  if (bytes.length > MAX_BYTES)
    throw new CommandFailure(`${file} is larger than 1 MiB.`, EXIT.usage);
  return bytes.toString("utf8").replace(/^\uFEFF/u, "");
}

function tooSmall({ origin, minimum, inclusive, message }: z.core.$ZodIssueTooSmall): string {
  if (origin !== "number" && origin !== "int") return message;
  return inclusive === true ? `must be at least ${minimum}` : `must be more than ${minimum}`;
}

function tooBig({ origin, maximum, message }: z.core.$ZodIssueTooBig): string {
  if (origin === "string") return `must have at most ${maximum} characters`;
  if (origin === "array") return `must have at most ${maximum} entries`;
  return message.startsWith("must") ? message : `must be at most ${maximum}`;
}

function aKind(expected: string): string {
  switch (expected) {
    case "object":
    case "record":
      return "an object";
    case "array":
      return "a list";
    case "int":
      return "a whole number";
    case "string":
      return "a text";
    default:
      return `a ${expected}`;
  }
}

/** Suggests the name closest to a misspelt one; empty when none is close. */
function hintFor(name: string, names: readonly string[]): string {
  const distanceTo = (other: string) => distance(name.toLowerCase(), other.toLowerCase());
  const limit = Math.max(1, Math.floor(name.length / 3));
  const [nearest] = names
    .filter((other) => distanceTo(other) <= limit)
    .toSorted((one, other) => distanceTo(one) - distanceTo(other));
  return nearest === undefined ? "" : `; did you mean "${nearest}"?`;
}

/** Levenshtein distance. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of from.split("").entries()) {
    const next = [index + 1];
    for (const [column, other] of to.split("").entries()) {
      const changed = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
