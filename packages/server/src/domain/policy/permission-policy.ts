import { matchesGlob } from "./glob.ts";
import { grantFor, type PermissionGrant } from "./permission-grant.ts";
import type { PermissionSubject } from "./permission-subject.ts";
import type { Phase } from "../phase.ts";
import { guessShell, readShell, type ShellPart } from "./shell-command.ts";

export const PERMISSION_DECISIONS = ["allow", "ask", "deny"] as const;
export type PermissionDecision = (typeof PERMISSION_DECISIONS)[number];

/** Covers requests that meet all its conditions. Without conditions it covers everything. */
export interface PermissionRule {
  /** The agent's name for the kind of work: `read`, `edit`, `execute` and so on. */
  readonly kind?: string;
  /** Inside the repository, or absolute. */
  readonly path?: string;
  readonly command?: string;
  readonly tool?: string;
  readonly decision: PermissionDecision;
}

/** In each list the first rule that covers a request decides. Rules of the phase precede the others. */
export interface PermissionPolicy {
  readonly rules: readonly PermissionRule[];
  readonly phases: Readonly<Partial<Record<Phase, readonly PermissionRule[]>>>;
}

interface PermissionVerdict {
  readonly decision: PermissionDecision;
  /** The name of the rule that decided; null when none did and the answer is therefore `ask`. */
  readonly by: string | null;
}

export interface PermissionCase {
  readonly subject: PermissionSubject;
  readonly phase: Phase;
  /** The operator's policy, if any. */
  readonly configured: PermissionPolicy | null;
  /** The session's own policy, if any. */
  readonly own: PermissionPolicy | null;
  readonly grants: readonly PermissionGrant[];
}

/**
 * Decides without a person where possible. Precedence: configured denials, denials of the session, grants, rules of the
 * session, configured rules. A line with several commands is allowed if each command is. In doubt a person is asked.
 */
export function decidePermission(request: PermissionCase): PermissionVerdict {
  const { subject, grants } = request;
  const verdicts = partsOf(subject).map((part) => decidePart(request, part));
  const denial = verdicts.find(({ decision }) => decision === "deny");
  if (denial !== undefined) return denial;
  const grant = grantFor(subject, grants);
  if (grant !== null) return { decision: grant.decision, by: `grant ${grant.id}` };
  const ask = verdicts.find(({ decision }) => decision === "ask");
  if (ask !== undefined) return ask;
  const by = [...new Set(verdicts.flatMap((verdict) => verdict.by ?? []))].join(", ");
  return { decision: "allow", by };
}

/** Whether the policy restricts anything that an agent could bypass by not asking. */
export function isRestrictive({
  configured,
  own,
}: Pick<PermissionCase, "configured" | "own">): boolean {
  // Every configured policy includes the planning rules.
  if (configured !== null) return true;
  const rules = own === null ? [] : [...own.rules, ...Object.values(own.phases).flat()];
  return rules.some(({ decision }) => decision !== "allow");
}

/** Part of every configured policy: an agent that investigates or plans must not change files. */
const PLANNING_RULES: readonly PermissionRule[] = [
  { kind: "edit", decision: "deny" },
  { kind: "delete", decision: "deny" },
  { kind: "move", decision: "deny" },
];
const PLANNING_PHASES: ReadonlySet<Phase> = new Set(["investigating", "planning"]);

interface NamedRule {
  readonly name: string;
  readonly rule: PermissionRule;
}

/** In order of precedence. */
function configuredRules(policy: PermissionPolicy, phase: Phase): readonly NamedRule[] {
  const planning = PLANNING_PHASES.has(phase) ? PLANNING_RULES : [];
  return [
    ...named(policy.phases[phase] ?? [], `permissions.phases.${phase}`),
    ...planning.map((rule) => ({ name: `no ${rule.kind} while ${phase}`, rule })),
    ...named(policy.rules, "permissions.rules"),
  ];
}

function sessionRules(policy: PermissionPolicy, phase: Phase): readonly NamedRule[] {
  return [
    ...named(policy.phases[phase] ?? [], `session permissions.phases.${phase}`),
    ...named(policy.rules, "session permissions.rules"),
  ];
}

function named(rules: readonly PermissionRule[], where: string): readonly NamedRule[] {
  return rules.map((rule, index) => ({ name: `${where}[${index}]`, rule }));
}

/** The request, or one of the commands in it. */
interface Part {
  readonly subject: PermissionSubject;
  readonly command: ShellPart | null;
}

function partsOf(subject: PermissionSubject): readonly Part[] {
  const { command } = subject;
  if (command === null) return [{ subject, command: null }];
  const read = command.is === "exact" ? readShell(command.line) : guessShell(command.line);
  return read.map((part) => ({ subject, command: part }));
}

function decidePart({ phase, configured, own }: PermissionCase, part: Part): PermissionVerdict {
  const operators = configured === null ? [] : configuredRules(configured, phase);
  const first = judge(operators, part);
  if (first?.decision === "deny") return first;
  const second = judge(own === null ? [] : sessionRules(own, phase), part);
  // A session cannot allow an action that the operator wants to be asked about and might deny.
  const isHeld = first?.decision === "ask" && mayDeny(operators, part);
  if (second?.decision === "allow" && isHeld) return first;
  return second ?? first ?? { decision: "ask", by: null };
}

/** The first rule that covers the part. An earlier rule that may cover it and does not allow turns `allow` into `ask`. */
function judge(rules: readonly NamedRule[], part: Part): PermissionVerdict | null {
  let doubt: PermissionVerdict | null = null;
  for (const { name, rule } of rules) {
    const covered = covers(rule, part);
    if (covered === "yes") {
      const { decision } = rule;
      return doubt !== null && decision !== "deny" ? doubt : { decision, by: name };
    }
    if (covered === "perhaps" && rule.decision !== "allow") doubt ??= { decision: "ask", by: name };
  }
  return doubt;
}

function mayDeny(rules: readonly NamedRule[], part: Part): boolean {
  return rules.some(({ rule }) => rule.decision === "deny" && covers(rule, part) !== "no");
}

type Covered = "yes" | "no" | "perhaps";

function covers(rule: PermissionRule, part: Part): Covered {
  return rule.decision === "allow" ? coversAll(rule, part) : coversAny(rule, part);
}

/** An allowing rule must cover everything in the request, and all of it must be known and inside the repository. */
function coversAll({ kind, path, command, tool }: PermissionRule, part: Part): Covered {
  const { subject } = part;
  if (subject.paths.some(isOutside)) return "no";
  // A command is executed whatever kind the agent gives it.
  const done = part.command === null ? subject.kind : "execute";
  if (kind !== undefined && kind !== done) return "no";
  if (tool !== undefined && !(subject.tool !== null && matchesGlob(tool, subject.tool, "text"))) {
    return "no";
  }
  if (command !== undefined) {
    const text = part.command?.text ?? null;
    if (text === null || !matchesCommand(command, text)) return "no";
  }
  if (path === undefined) return "yes";
  // A command may touch files that it does not name.
  if (done === "execute" && command === undefined) return "no";
  const { paths } = subject;
  return paths.length > 0 && paths.every((each) => matchesPath(path, each)) ? "yes" : "no";
}

/** A rule that denies or asks applies if it covers, or may cover, any part of the request. */
function coversAny({ kind, path, command, tool }: PermissionRule, part: Part): Covered {
  return every([
    kind === undefined ? "yes" : coversKind(kind, part),
    path === undefined ? "yes" : coversPath(path, part),
    command === undefined ? "yes" : coversCommand(command, part),
    tool === undefined ? "yes" : coversTool(tool, part),
  ]);
}

function every(conditions: readonly Covered[]): Covered {
  if (conditions.includes("no")) return "no";
  return conditions.includes("perhaps") ? "perhaps" : "yes";
}

function coversKind(kind: string, { subject, command }: Part): Covered {
  if (kind === subject.kind || (kind === "execute" && command !== null)) return "yes";
  return isVague(subject.kind) && command === null ? "perhaps" : "no";
}

function coversPath(path: string, { subject, command }: Part): Covered {
  if (subject.paths.some((each) => matchesPath(path, each))) return "yes";
  if (subject.paths.length > 0 || command !== null) return "no";
  return isVague(subject.kind) || NAMES_FILES.has(subject.kind) ? "perhaps" : "no";
}

function coversCommand(pattern: string, { subject, command }: Part): Covered {
  if (command === null) {
    return isVague(subject.kind) || subject.kind === "execute" ? "perhaps" : "no";
  }
  if (command.names.some((name) => matchesCommand(pattern, name))) return "yes";
  return command.text === null ? "perhaps" : "no";
}

function coversTool(pattern: string, { subject }: Part): Covered {
  if (subject.tool === null) return "perhaps";
  return matchesGlob(pattern, subject.tool, "text") ? "yes" : "no";
}

/** Kinds of work on files, even if the agent names none. */
const NAMES_FILES: ReadonlySet<string> = new Set(["read", "edit", "delete", "move"]);

/** Some agents call everything `other`. */
function isVague(kind: string | null): kind is null | "other" {
  return kind === null || kind === "other";
}

function isOutside(path: string): boolean {
  return path.startsWith("/") || path.startsWith("~") || path.split("/").includes("..");
}

function matchesPath(pattern: string, path: string): boolean {
  return matchesGlob(pattern.startsWith("./") ? pattern.slice(2) : pattern, path, "path");
}

/** `rm *` matches `rm` with any arguments or none. */
function matchesCommand(pattern: string, command: string): boolean {
  return (
    matchesGlob(pattern, command, "text") ||
    (pattern.endsWith(" *") && matchesGlob(pattern.slice(0, -2), command, "text"))
  );
}
