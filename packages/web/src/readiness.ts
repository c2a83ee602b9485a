/** What /readyz says. Every part may be missing: an older or a struggling server leaves things out. */
export interface Readiness {
  readonly ready: boolean;
  readonly version: string | null;
  readonly startedAt: Date | null;
  readonly engine: string | null;
  readonly schema: string | null;
  readonly sessions: readonly SessionCount[];
  readonly setAside: number;
}

export interface SessionCount {
  readonly status: "active" | "suspended" | "archived" | "error";
  readonly count: number;
}

const STATUSES = ["active", "suspended", "archived", "error"] as const;

/** Null when this is not an answer of /readyz at all. */
export function parseReadiness(body: unknown): Readiness | null {
  const status = field(body, "status");
  if (status !== "ready" && status !== "unready") return null;
  const database = field(body, "database");
  return {
    ready: status === "ready",
    version: text(field(body, "version")),
    startedAt: date(field(body, "startedAt")),
    engine: text(field(database, "engine")),
    schema: text(field(database, "schema")),
    sessions: parseSessions(field(body, "sessions")),
    setAside: count(field(body, "setAside")) ?? 0,
  };
}

function parseSessions(value: unknown): readonly SessionCount[] {
  return STATUSES.flatMap((status) => {
    const found = count(field(value, status));
    return found === null ? [] : [{ status, count: found }];
  });
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function count(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function date(value: unknown): Date | null {
  const found = typeof value === "string" ? new Date(value) : null;
  return found === null || Number.isNaN(found.getTime()) ? null : found;
}
