import type { AgentChoice } from "../choose-agent.ts";
import type { DeliveryPolicy, QueueEntry } from "../delivery.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Outcome, Phase } from "../phase.ts";
import type { CurrentRun, RunError, RunMemory, RunResult, UnusedAnswer, Usage } from "../run.ts";
import type { ForkOrigin, RecordedError, Session } from "../session.ts";
import type { Closing, Suspension } from "../suspension.ts";

/** What has happened to a session. The log of these, folded by `evolve`, is the session. */
export type SessionEvent =
  | SessionCreated
  /** Came from elsewhere as it is here, with a history of its own. */
  | { readonly type: "session.imported"; readonly at: number; readonly session: ImportedSession }
  | { readonly type: "session.updated"; readonly at: number; readonly changes: SessionChanges }
  | {
      readonly type: "session.suspended";
      readonly at: number;
      readonly cause: SuspendCause;
      /** Why the session cannot go on. Absent when only the server went away. */
      readonly reason?: string;
    }
  | {
      readonly type: "session.resumed";
      readonly at: number;
      /** The server came back. Absent when a person resumed the session, or sent to it. */
      readonly by?: "server";
    }
  /** Somebody reported the phase or the metadata that the session has already: a heartbeat. */
  | { readonly type: "session.touched"; readonly at: number }
  | { readonly type: "session.archived"; readonly at: number }
  | { readonly type: "session.failed"; readonly at: number; readonly reason: string }
  | {
      readonly type: "session.finalized";
      readonly at: number;
      readonly outcome: Outcome;
      readonly summary: string | null;
    }
  | { readonly type: "session.deleted"; readonly at: number }
  | {
      readonly type: "phase.changed";
      readonly at: number;
      readonly from: Phase;
      readonly to: Phase;
    }
  | { readonly type: "error.recorded"; readonly at: number; readonly error: RecordedError }
  | {
      readonly type: "resume.recorded";
      readonly at: number;
      /** Not in events of 0.1, whose `resumeData` is `{provider, data}`. */
      readonly provider?: string;
      readonly supportsResume: boolean;
      readonly resumeData: Json;
    }
  | {
      readonly type: "message.queued";
      readonly at: number;
      readonly entry: QueueEntry;
      readonly position: number;
    }
  | { readonly type: "message.edited"; readonly at: number; readonly messageId: string }
  | {
      readonly type: "message.moved";
      readonly at: number;
      readonly messageId: string;
      readonly position: number;
    }
  | {
      readonly type: "message.withdrawn";
      readonly at: number;
      readonly messageId: string;
      readonly runId: string;
    }
  | {
      /** Kept in the history, never given to an agent: the session ended with it in the queue. */
      readonly type: "message.undelivered";
      readonly at: number;
      readonly messageId: string;
      readonly runId: string;
    }
  | { readonly type: "run.started"; readonly at: number; readonly run: CurrentRun }
  | {
      readonly type: "run.handed";
      readonly at: number;
      readonly runId: string;
      readonly memory?: RunMemory;
    }
  | {
      readonly type: "run.retried";
      readonly at: number;
      readonly runId: string;
      readonly error: RunError;
    }
  | { readonly type: "run.requeued"; readonly at: number; readonly entry: QueueEntry }
  | {
      readonly type: "run.suspended";
      readonly at: number;
      readonly runId: string;
      readonly suspension: Suspension;
    }
  | {
      readonly type: "suspension.closed";
      readonly at: number;
      readonly suspensionId: string;
      readonly closing: Closing;
    }
  | { readonly type: "run.resumed"; readonly at: number; readonly runId: string }
  | {
      readonly type: "run.ended";
      readonly at: number;
      readonly runId: string;
      readonly result: RunResult;
      readonly usage: Usage | null;
      /** Not there when there are none. */
      readonly unusedAnswers?: readonly UnusedAnswer[];
    }
  /** The agent said or did something. What, is in the messages; here only that the session lives. */
  | { readonly type: "output.appended"; readonly at: number };

/** `unavailable`: the server is there, and the session's repository is not. */
export type SuspendCause = "shutdown" | "crash" | "unavailable";

/** Of 0.1 it says nothing of its last run, and has its resume data in another form. */
type ImportedSession = Omit<Session, "lastRun"> & Partial<Pick<Session, "lastRun">>;

export interface SessionCreated {
  readonly type: "session.created";
  readonly at: number;
  readonly id: string;
  /** Not in events of old, from before sessions had one. */
  readonly agentId?: string | null;
  readonly repoId: string | null;
  readonly title: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly agentName: string | null;
  readonly purpose: string | null;
  readonly metadata: JsonObject;
  readonly forkedFrom: ForkOrigin | null;
  /** What the session it was forked from ran with last, to go on with the same. */
  readonly lastRun?: AgentChoice | null;
}

/** Only what changed is present. `metadata` holds the keys to set, merged into the stored ones. */
export interface SessionChanges {
  readonly title?: string | null;
  readonly metadata?: JsonObject;
  readonly delivery?: DeliveryPolicy;
  readonly provider?: string | null;
  readonly model?: string | null;
  /** Forgives the errors counted so far. */
  readonly errorCount?: 0;
}

export type EventOf<Type extends SessionEvent["type"]> = Extract<SessionEvent, { type: Type }>;
