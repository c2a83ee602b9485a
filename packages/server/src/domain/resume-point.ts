import { isArray, isObject, sameJson, type Json, type JsonObject } from "./json.ts";

/** The data with which an agent of a provider can resume its own session. */
export interface ResumePoint extends JsonObject {
  /** Null in old data that does not name the provider. */
  readonly provider: string | null;
  /** Only the provider understands it. */
  readonly data: Json;
  /** The last run that the agent's session contains; null if it contains none. */
  readonly seen: string | null;
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
  return [...others, { provider, data, seen: isSame ? before.seen : null }].slice(
    -MAX_RESUME_POINTS,
  );
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
  const { provider, data, seen } = json;
  if (data === undefined || (typeof provider !== "string" && provider !== null)) return null;
  return { provider, data, seen: typeof seen === "string" ? seen : null };
}
