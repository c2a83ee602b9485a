import type { KeptSettings } from "./settings/agent-settings.ts";
import type { AgentChoice } from "./choose-agent.ts";
import type { DeliveryPolicy, QueueEntry } from "./delivery.ts";
import type { JsonObject } from "./json.ts";
import type { Connections } from "./mcp-server.ts";
import type { Phase, PhaseChange } from "./phase.ts";
import type { ResumePoint } from "./resume-point.ts";
import type { CurrentRun, RunResult } from "./run.ts";
import type { SessionFolder } from "./files/session-folder.ts";
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

/** Status and state in one union, so that an invalid pair is a type error. */
export type Standing =
  | { readonly status: "active"; readonly activity: Activity }
  | {
      readonly status: "suspended";
      readonly activity: Idle | Waiting;
      readonly suspendedAt: number;
      /** Why the session cannot continue; null if only the server stopped. */
      readonly reason: string | null;
    }
  | { readonly status: "archived"; readonly archivedAt: number }
  | { readonly status: "error"; readonly reason: string; readonly failedAt: number };

/** The latest turn of a session, as lists show it. */
export interface LastTurn {
  /** When somebody last sent something, was asked, answered, or a run began or ended. Output of an agent does not count. */
  readonly at: number;
  /** How the last run ended; null before the first end. */
  readonly outcome: RunResult["outcome"] | null;
  /** The last line that an agent said in it; null if nothing was said. */
  readonly line: string | null;
}

export interface Session extends Connections, SessionFolder {
  readonly id: string;
  /** The unique ID that an orchestrator gave it, if any. */
  readonly agentId: string | null;
  readonly repoId: string | null;
  readonly title: string | null;
  readonly standing: Standing;
  readonly delivery: DeliveryPolicy;
  readonly queue: readonly QueueEntry[];
  /** A preference: a message can choose another provider and model. */
  readonly provider: string | null;
  readonly model: string | null;
  /** The provider and model of the latest run; null before the first run. */
  readonly lastRun: AgentChoice | null;
  /** The mode and options of the agents of each provider; the provider with the newest change is last. */
  readonly settings: readonly KeptSettings[];
  readonly agentName: string | null;
  readonly purpose: string | null;
  readonly metadata: JsonObject;
  readonly phase: Phase;
  readonly phaseHistory: readonly PhaseChange[];
  readonly resumeReady: boolean;
  /** Errors since the last completed run or the last reset. */
  readonly errorCount: number;
  /** All errors; never reset. */
  readonly errorTotal: number;
  /** A reset of the count does not change it. */
  readonly lastError: LastError | null;
  /** Whether the last agent can resume its own session. */
  readonly supportsResume: boolean;
  /** Whether the agent of the current or last run takes messages during its work. False until a new agent says so. */
  readonly supportsSteering: boolean;
  /** The data that an agent of each provider needs for that; the newest is last. */
  readonly resumeData: readonly ResumePoint[];
  readonly forkedFrom: ForkOrigin | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The last time that a person, an agent or a hook did something. */
  readonly lastActiveAt: number;
  readonly lastTurn: LastTurn;
  readonly finalizedAt: number | null;
  readonly summary: string | null;
}

export interface RecordedError {
  /** The error is counted once, even if the report of it is repeated. */
  readonly id: string;
  readonly text: string;
}

export interface LastError extends RecordedError {
  /** Null in errors that are older than this field. */
  readonly at: number | null;
}

export interface ForkOrigin {
  readonly sessionId: string;
  /** The last message of the origin that the fork contains; null if it contains all. */
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
