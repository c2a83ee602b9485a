import type { AgentChoice } from "../../domain/choose-agent.ts";
import type { ResumePoint } from "../../domain/resume-point.ts";
import type { Session } from "../../domain/session.ts";
import type { BundleRun } from "./parse-bundle.ts";

/** Tells from the runs of a bundle of 0.1 what its session line does not say. */
export interface EarlierRuns {
  add(run: BundleRun, points: readonly ResumePoint[]): void;
  /** What the last run used, and the last run that each agent's session was given. */
  read(points: readonly ResumePoint[]): Pick<Session, "lastRun" | "resumeData">;
}

export function createEarlierRuns(): EarlierRuns {
  const given = new Map<string, { readonly id: string; readonly startedAt: number }>();
  let last: (AgentChoice & { readonly startedAt: number }) | null = null;
  return {
    add({ id, provider, model, startedAt, attempts }, points) {
      if (provider === null || startedAt === null) return;
      if (startedAt >= (last?.startedAt ?? 0)) last = { provider, model, startedAt };
      const isKept = attempts > 0 && points.some((point) => point.provider === provider);
      if (isKept && startedAt >= (given.get(provider)?.startedAt ?? 0))
        given.set(provider, { id, startedAt });
    },
    read: (points) => ({
      lastRun: last && { provider: last.provider, model: last.model },
      resumeData: points.map((point) => ({
        ...point,
        seen: point.provider === null ? null : (given.get(point.provider)?.id ?? null),
      })),
    }),
  };
}
