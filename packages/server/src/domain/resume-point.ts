import { isArray, isObject, sameJson, type Json, type JsonObject } from "./json.ts";

/** The data with which an agent of a provider can resume its own session. */
export interface ResumePoint extends JsonObject {
  /** Null in old data that does not name the provider. */
  readonly provider: string | null;
  /** Only the provider understands it. */
  readonly data: Json;
  /** The last run that the agent's session contains; null if it contains none. */
  readonly seen: string | null;
  /** Set in a fork until its own agent has a session. `data` is null then: there is nothing to resume, only to copy. */
  readonly origin?: AgentOrigin;
  /** Whether the title of the session is the one that this agent gave it. */
  readonly titled?: true;
}

/** The agent's session of which a fork was made. */
export interface AgentOrigin extends JsonObject {
  readonly sessionId: string;
  /** The last run that it contained at the time of the fork. */
  readonly runId: string;
  /** The resume data of the origin. */
  readonly data: Json;
}

/** Beyond this number, the point that is unused for longest is dropped. */
const MAX_RESUME_POINTS = 20;

export function resumePointOf(
  points: readonly ResumePoint[],
  provider: string,
): ResumePoint | null {
  return points.find((point) => point.provider === provider) ?? null;
}

/** Stores the data of the provider's agent. Null removes the point: the agent cannot resume its session. */
export function withResumeData(
  points: readonly ResumePoint[],
  { provider, data }: Pick<ResumePoint, "provider" | "data">,
): readonly ResumePoint[] {
  const before = points.find((point) => point.provider === provider);
  const others = points.filter((point) => point !== before);
  if (data === null) return others;
  const isSame = before !== undefined && sameJson(before.data, data);
  const titled = before?.titled === true && { titled: before.titled };
  return [...others, { provider, data, seen: isSame ? before.seen : null, ...titled }].slice(
    -MAX_RESUME_POINTS,
  );
}

/** Records which agent gave the session its title; null if a person did. */
export function withTitleOf(
  points: readonly ResumePoint[],
  titledBy: string | null,
): readonly ResumePoint[] {
  if (!points.some((point) => (point.titled === true) !== (point.provider === titledBy)))
    return points;
  return points.map(({ titled: _, ...point }) =>
    point.provider === titledBy ? { ...point, titled: true } : point,
  );
}

/** Whether an agent may replace the title. */
export function isTitledByAgent(points: readonly ResumePoint[]): boolean {
  return points.some(({ titled }) => titled === true);
}

/**
 * The points of a fork of the whole session. Only agents that know all of it can be copied. `lastRun`: the last run that
 * started in the source; null if there is none, so that a fork of an unused fork has the same origin.
 */
export function originsFor(
  source: { readonly id: string; readonly resumeData: readonly ResumePoint[] },
  lastRun: string | null,
): readonly ResumePoint[] {
  return source.resumeData.flatMap(({ provider, data, seen, origin }): ResumePoint[] => {
    const point = { provider, data: null, seen: null };
    if (origin !== undefined) return lastRun === null ? [{ ...point, origin }] : [];
    if (provider === null || lastRun === null || seen !== lastRun) return [];
    return [{ ...point, origin: { sessionId: source.id, runId: lastRun, data } }];
  });
}

/** Whether the agent's session still contains exactly what the fork was made of. */
export function isUnchanged(
  { runId, data }: AgentOrigin,
  now: { readonly resumeData: readonly ResumePoint[] },
): boolean {
  return now.resumeData.some((point) => point.seen === runId && sameJson(point.data, data));
}

/** Records that the agent of the run's provider got the run. */
export function withSeenRun(
  points: readonly ResumePoint[],
  run: { readonly id: string; readonly provider: string },
): readonly ResumePoint[] {
  const isNews = points.some(({ provider, seen }) => provider === run.provider && seen !== run.id);
  if (!isNews) return points;
  return points.map((point) =>
    point.provider === run.provider ? { ...point, seen: run.id } : point,
  );
}

/** Parses a stored list. Version 0.1 and the portal stored the data of a single agent instead. */
export function parseResumePoints(stored: Json): readonly ResumePoint[] {
  if (stored === null) return [];
  if (isArray(stored)) {
    const points = stored.map(toPoint);
    if (points.every((point) => point !== null)) return points.slice(-MAX_RESUME_POINTS);
  }
  return [toPoint(stored) ?? { provider: null, data: stored, seen: null }];
}

function toPoint(json: Json): ResumePoint | null {
  if (!isObject(json)) return null;
  const { provider, data, seen, origin = null, titled } = json;
  if (data === undefined || (typeof provider !== "string" && provider !== null)) return null;
  const from = toOrigin(origin);
  return {
    provider,
    data,
    seen: typeof seen === "string" ? seen : null,
    ...(from !== null && { origin: from }),
    ...(titled === true && { titled }),
  };
}

function toOrigin(json: Json): AgentOrigin | null {
  if (!isObject(json)) return null;
  const { sessionId, runId, data = null } = json;
  if (typeof sessionId !== "string" || typeof runId !== "string") return null;
  return { sessionId, runId, data };
}
