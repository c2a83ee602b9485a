import { isArray, isObject, type Json, type JsonObject } from "../json.ts";
import {
  PERMISSION_DECISIONS,
  type PermissionDecision,
  type PermissionPolicy,
  type PermissionRule,
} from "./permission-policy.ts";
import { PHASES, type Phase } from "../phase.ts";

/** The key of a session's metadata that holds its own rules. */
export const PERMISSIONS_KEY = "permissions";

export const MAX_RULES = 100;
const MAX_PATTERN = 200;

type ParsedPolicy =
  | { readonly ok: true; readonly policy: PermissionPolicy }
  | { readonly ok: false; readonly where: string; readonly reason: string };

/** Parses `{rules?, phases?}`. */
export function parsePolicy(json: Json): ParsedPolicy {
  try {
    const { rules = [], phases = {}, ...others } = objectAt(json, "");
    refuseOthers(others, "");
    return {
      ok: true,
      policy: {
        rules: parseRules(rules, "rules"),
        phases: Object.fromEntries(
          Object.entries(objectAt(phases, "phases")).map(([phase, list]) => [
            parsePhase(phase),
            parseRules(list, `phases.${phase}`),
          ]),
        ),
      },
    };
  } catch (error) {
    if (!(error instanceof NotAPolicy)) throw error;
    return { ok: false, where: error.where, reason: error.message };
  }
}

/** The session's own rules. An invalid policy asks for everything, because it might have denied something. */
export function policyIn(metadata: JsonObject): PermissionPolicy | null {
  const json = metadata[PERMISSIONS_KEY] ?? null;
  if (json === null) return null;
  const parsed = parsePolicy(json);
  return parsed.ok ? parsed.policy : { rules: [{ decision: "ask" }], phases: {} };
}

/** The problem with a pattern, or null. */
export function whyNoPattern(pattern: string): string | null {
  if (pattern === "") return "must not be empty";
  if (pattern.length > MAX_PATTERN) return `must have at most ${MAX_PATTERN} characters`;
  return null;
}

/** The problem with a path pattern, or null. Patterns are compared with normalized paths. */
export function whyNoPathPattern(pattern: string): string | null {
  const bare = pattern.startsWith("./") ? pattern.slice(2) : pattern;
  const isPlain = bare.split("/").every((folder) => folder !== ".." && folder !== ".");
  if (!isPlain) return 'must not lead through ".." or "."';
  if (pattern.endsWith("/")) return 'must not end with "/"; a folder and all in it is "folder/**"';
  return whyNoPattern(pattern);
}

class NotAPolicy extends Error {
  readonly where: string;

  constructor(where: string, reason: string) {
    super(reason);
    this.name = "NotAPolicy";
    this.where = where;
  }
}

function parseRules(json: Json, where: string): readonly PermissionRule[] {
  if (!isArray(json)) throw new NotAPolicy(where, "must be a list");
  if (json.length > MAX_RULES) throw new NotAPolicy(where, `must have at most ${MAX_RULES} rules`);
  return json.map((rule, index) => parseRule(rule, `${where}.${index}`));
}

function parseRule(json: Json, where: string): PermissionRule {
  const { decision, kind, path, command, tool, ...others } = objectAt(json, where);
  refuseOthers(others, where);
  const condition = (
    name: "kind" | "path" | "command" | "tool",
    value: Json | undefined,
  ): Partial<PermissionRule> => {
    if (value === undefined) return {};
    const reason =
      typeof value === "string"
        ? (name === "path" ? whyNoPathPattern : whyNoPattern)(value)
        : "must be a text";
    if (reason !== null) throw new NotAPolicy(`${where}.${name}`, reason);
    return { [name]: value };
  };
  return {
    ...condition("kind", kind),
    ...condition("path", path),
    ...condition("command", command),
    ...condition("tool", tool),
    decision: parseDecision(decision, `${where}.decision`),
  };
}

function parseDecision(json: Json | undefined, where: string): PermissionDecision {
  const decision = PERMISSION_DECISIONS.find((each) => each === json);
  if (decision === undefined) throw new NotAPolicy(where, 'must be "allow", "ask" or "deny"');
  return decision;
}

function parsePhase(name: string): Phase {
  const phase = PHASES.find((each) => each === name);
  if (phase === undefined) throw new NotAPolicy(`phases.${name}`, "is not a phase");
  return phase;
}

function refuseOthers(others: JsonObject, where: string): void {
  const [name] = Object.keys(others);
  if (name === undefined) return;
  throw new NotAPolicy(where === "" ? name : `${where}.${name}`, "is not known");
}

function objectAt(json: Json, where: string): JsonObject {
  if (isObject(json)) return json;
  throw new NotAPolicy(where, "must be an object");
}
