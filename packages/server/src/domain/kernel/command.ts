import type { ContinuityPolicy, DeliveryMode } from "../delivery.ts";
import type { SessionChanges, SessionCreated } from "./event.ts";
import type { Json } from "../json.ts";
import type { Outcome, Phase } from "../phase.ts";
import type { RunError, RunMemory, RunResult, RunStart, UnusedAnswer, Usage } from "../run.ts";
import type { RecordedError } from "../session.ts";
import type { Closing, Suspension } from "../suspension.ts";

/** What somebody wants of a session. Time and ids come in with it: `decide` has neither. */
export type Command = UserCommand | RunCommand | ServerCommand;

/** What people and orchestrators ask for. */
export type UserCommand =
  | Create
  | Send
  | Update
  | {
      readonly type: "cancel";
      readonly at: number;
      readonly reason: string;
      readonly runId?: string;
    }
  | { readonly type: "release"; readonly at: number; readonly reason: string }
  | Answer
  | { readonly type: "resume"; readonly at: number }
  | { readonly type: "archive"; readonly at: number }
  | { readonly type: "fail"; readonly at: number; readonly reason: string }
  | {
      readonly type: "finalize";
      readonly at: number;
      readonly outcome: Outcome;
      readonly summary: string | null;
    }
  | { readonly type: "delete"; readonly at: number }
  | { readonly type: "edit-queued"; readonly at: number; readonly messageId: string }
  | {
      readonly type: "move-queued";
      readonly at: number;
      readonly messageId: string;
      readonly position: number;
    }
  | { readonly type: "withdraw-queued"; readonly at: number; readonly messageId: string };

/** What the driver of a run reports. */
export type RunCommand =
  | {
      readonly type: "start-run";
      readonly at: number;
      readonly runId: string;
      readonly start: RunStart;
    }
  | {
      readonly type: "hand-run";
      readonly at: number;
      readonly runId: string;
      /** Said with a prompt; not with an answer to an agent that waits for it. */
      readonly memory?: RunMemory;
    }
  | {
      readonly type: "retry-run";
      readonly at: number;
      readonly runId: string;
      readonly error: RunError;
    }
  /** Stored as given to an agent, and not given after all: it waits at the head of the queue again. */
  | { readonly type: "requeue-run"; readonly at: number; readonly runId: string }
  | {
      readonly type: "suspend-run";
      readonly at: number;
      readonly runId: string;
      readonly suspension: Suspension;
    }
  | {
      readonly type: "close-suspension";
      readonly at: number;
      readonly suspensionId: string;
      readonly how: Exclude<Closing["how"], "answered" | "released">;
    }
  | {
      readonly type: "end-run";
      readonly at: number;
      readonly runId: string;
      readonly result: RunResult;
      readonly usage: Usage | null;
      readonly unusedAnswers?: readonly UnusedAnswer[];
    }
  | {
      readonly type: "record-resume";
      readonly at: number;
      readonly provider: string;
      readonly supportsResume: boolean;
      readonly resumeData: Json;
    };

/** What the server does to sessions when it goes away or comes back. */
export type ServerCommand =
  | { readonly type: "suspend"; readonly at: number; readonly cause: "shutdown" | "crash" }
  | {
      readonly type: "come-back";
      readonly at: number;
      /** Why the session cannot go on here; null when it can. */
      readonly obstacle: string | null;
    };

export interface Create extends Omit<SessionCreated, "type"> {
  readonly type: "create";
}

export interface Send {
  readonly type: "send";
  readonly at: number;
  readonly messageId: string;
  readonly runId: string;
  readonly provider: string | null;
  readonly model: string | null;
  readonly continuity: ContinuityPolicy;
  readonly delivery: DeliveryMode;
  readonly maxQueued: number;
  /** Given when a place for an agent is free: an idle session then starts at once. */
  readonly start: RunStart | null;
}

export interface Update {
  readonly type: "update";
  readonly at: number;
  readonly changes: SessionChanges;
  readonly phase?: Phase;
  readonly error?: RecordedError;
}

export interface Answer {
  readonly type: "answer";
  readonly at: number;
  readonly suspensionId: string;
  readonly answer: Json;
  readonly by: string | null;
}
