import type { AgentChoice } from "./choose-agent.ts";
import type { DeliveryPolicy, QueueEntry } from "./delivery.ts";
import type { JsonObject } from "./json.ts";
import type { Phase, PhaseChange } from "./phase.ts";
import type { ResumePoint } from "./resume-point.ts";
import type { CurrentRun } from "./run.ts";
import type { State, Status } from "./status.ts";
import type { Suspension } from "./suspension.ts";

export interface Idle {
  readonly state: "idle";
}

export interface Running {
  readonly state: "running";
  readonly run: CurrentRun;
}

export interface Waiting {
  readonly state: "suspended";
  readonly run: CurrentRun;
  /** Oldest first; agents ask for several permissions at once. */
  readonly suspensions: readonly [Suspension, ...Suspension[]];
}

export type Activity = Idle | Running | Waiting;

/** Status and state together, so that a pair that must not exist cannot be written down. */
export type Standing =
  | { readonly status: "active"; readonly activity: Activity }
  | {
      readonly status: "suspended";
      readonly activity: Idle | Waiting;
      readonly suspendedAt: number;
      /** Why the session cannot go on; null while only the server is away. */
      readonly reason: string | null;
    }
  | { readonly status: "archived"; readonly archivedAt: number }
  | { readonly status: "error"; readonly reason: string; readonly failedAt: number };

export interface Session {
  readonly id: string;
  /** What an orchestrator calls it, unique like the id; null for sessions that nobody else named. */
  readonly agentId: string | null;
  readonly repoId: string | null;
  readonly title: string | null;
  readonly standing: Standing;
  readonly delivery: DeliveryPolicy;
  readonly queue: readonly QueueEntry[];
  /** Preference only: each run chooses its own. */
  readonly provider: string | null;
  readonly model: string | null;
  /** What the run that was started last uses, or used; null before the first. */
  readonly lastRun: AgentChoice | null;
  readonly agentName: string | null;
  readonly purpose: string | null;
  readonly metadata: JsonObject;
  readonly phase: Phase;
  readonly phaseHistory: readonly PhaseChange[];
  readonly resumeReady: boolean;
  /** Errors since the last completed run, or since somebody reset the count. */
  readonly errorCount: number;
  /** All errors of its life; never reset. */
  readonly errorTotal: number;
  /** Stays when the count is reset. */
  readonly lastError: LastError | null;
  /** Whether the last agent can take its own session up again. */
  readonly supportsResume: boolean;
  /** What an agent of each provider needs for that, the one recorded last at the end. */
  readonly resumeData: readonly ResumePoint[];
  readonly forkedFrom: ForkOrigin | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The last time that a person, an agent or a hook did something. */
  readonly lastActiveAt: number;
  readonly finalizedAt: number | null;
  readonly summary: string | null;
}

export interface RecordedError {
  /** Absorbs the report's own retry. */
  readonly id: string;
  readonly text: string;
}

export interface LastError extends RecordedError {
  /** Null for an error that was stored before errors had a time. */
  readonly at: number | null;
}

export interface ForkOrigin {
  readonly sessionId: string;
  /** The last message taken over; null takes all. */
  readonly atMessage: string | null;
}

export const IDLE: Idle = { state: "idle" };

export function statusOf(session: Session): Status {
  return session.standing.status;
}

export function activityOf(session: Session): Activity {
  return "activity" in session.standing ? session.standing.activity : IDLE;
}

export function stateOf(session: Session): State {
  return activityOf(session).state;
}

export function currentRunOf(session: Session): CurrentRun | null {
  const activity = activityOf(session);
  return activity.state === "idle" ? null : activity.run;
}

export function runIdOf(session: Session | null): string | null {
  return session === null ? null : (currentRunOf(session)?.id ?? null);
}

export function openSuspensionsOf(session: Session): readonly Suspension[] {
  const activity = activityOf(session);
  return activity.state === "suspended" ? activity.suspensions : [];
}
