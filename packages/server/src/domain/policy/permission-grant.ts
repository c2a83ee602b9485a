import type { Json, JsonObject } from "../json.ts";
import type { PermissionSubject } from "./permission-policy.ts";

/** What a person has said once for the rest of a session. */
export interface PermissionGrant {
  readonly id: string;
  readonly decision: "allow" | "deny";
  readonly scope: "session";
  /** What it was said about, as it was shown. */
  readonly title: string;
  readonly kind: string | null;
  /** With the kind, what else counts as the same; empty and null where only the same request does. */
  readonly paths: readonly string[];
  readonly command: string | null;
  readonly folder: string | null;
  readonly fingerprint: string;
  readonly by: string | null;
  readonly at: number;
}

/** The key of a session's metadata that holds its grants. Only the server writes it. */
export const GRANTS_KEY = "permissionGrants";

const MAX_GRANTS = 100;
const MAX_PATHS = 10;
const MAX_TEXT = 300;

/** The last one that is about the same; null when none is. */
export function grantFor(
  subject: PermissionSubject,
  grants: readonly PermissionGrant[],
): PermissionGrant | null {
  return grants.findLast((grant) => isSame(grant, subject)) ?? null;
}

/** For the rest of the session: the same request, or the same kind of work on the same files or by the same command. */
export function grantOf(
  subject: PermissionSubject,
  { id, decision, title, by, at }: Pick<PermissionGrant, "id" | "decision" | "title" | "by" | "at">,
): PermissionGrant {
  const { kind, fingerprint, folder } = subject;
  const line = subject.command?.is === "exact" ? subject.command.line : null;
  const command = line !== null && line.length <= MAX_TEXT ? line : null;
  const isOfFiles = subject.command === null && kind !== null && ON_FILES.has(kind);
  const areShort =
    subject.paths.length <= MAX_PATHS && subject.paths.every(({ length }) => length <= MAX_TEXT);
  return {
    id,
    decision,
    scope: "session",
    title: title.slice(0, MAX_TEXT),
    kind,
    paths: isOfFiles && areShort ? subject.paths : [],
    command,
    folder: command === null ? null : folder,
    fingerprint,
    by,
    at,
  };
}

/** With one more; the oldest go when there are too many, and are asked about again. */
export function withGrant(
  grants: readonly PermissionGrant[],
  grant: PermissionGrant,
): readonly PermissionGrant[] {
  return [...grants, grant].slice(-MAX_GRANTS);
}

/** Those in a session's metadata. What is not one of ours counts for nothing. */
export function grantsIn(metadata: JsonObject): readonly PermissionGrant[] {
  const stored = metadata[GRANTS_KEY];
  return Array.isArray(stored) ? stored.flatMap((each: Json) => parseGrant(each) ?? []) : [];
}

export function toMetadata(grants: readonly PermissionGrant[]): JsonObject {
  return { [GRANTS_KEY]: grants.map((grant) => ({ ...grant })) };
}

const ON_FILES: ReadonlySet<string> = new Set(["read", "edit", "delete", "move"]);

function isSame(grant: PermissionGrant, subject: PermissionSubject): boolean {
  if (grant.fingerprint === subject.fingerprint) return true;
  if (grant.kind === null || grant.kind !== subject.kind) return false;
  if (subject.command !== null) {
    const { line, is } = subject.command;
    return is === "exact" && grant.command === line && grant.folder === subject.folder;
  }
  return grant.command === null && grant.paths.length > 0 && samePaths(grant.paths, subject.paths);
}

function samePaths(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((path) => other.includes(path));
}

function parseGrant(json: Json): PermissionGrant | null {
  if (typeof json !== "object" || json === null || isList(json)) return null;
  const { id, decision, title, kind, paths, command, folder, fingerprint, by, at } = json;
  if (typeof id !== "string" || typeof fingerprint !== "string" || typeof at !== "number")
    return null;
  if (decision !== "allow" && decision !== "deny") return null;
  return {
    id,
    decision,
    scope: "session",
    title: textOr(title) ?? "",
    kind: textOr(kind),
    paths: Array.isArray(paths) ? paths.filter((path) => typeof path === "string") : [],
    command: textOr(command),
    folder: textOr(folder),
    fingerprint,
    by: textOr(by),
    at,
  };
}

function textOr(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function isList(json: Json): json is readonly Json[] {
  return Array.isArray(json);
}
