import { isArray, isObject, sameJson, type Json, type JsonObject } from "./json.ts";

/** Where an agent of a provider can take its own session up again. */
export interface ResumePoint extends JsonObject {
  /** Null when it was recorded before sessions had several providers, and nobody knows whose it is. */
  readonly provider: string | null;
  /** Only the provider understands it. */
  readonly data: Json;
  /** The last run that was given to the agent's session; null when none was, so that it knows nothing. */
  readonly seen: string | null;
}

/** A session that was with more providers than this forgets the one it was with longest ago. */
const MAX_RESUME_POINTS = 20;

export function resumePointOf(
  points: readonly ResumePoint[],
  provider: string,
): ResumePoint | null {
  return points.find((point) => point.provider === provider) ?? null;
}

/** An agent of the provider has a session with this data, or none that could be taken up again. */
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

/** The run was given to the agent that the provider's point is about. */
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

/** As they were stored: as a list, or as 0.1 and the portal kept the data of one agent. */
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
