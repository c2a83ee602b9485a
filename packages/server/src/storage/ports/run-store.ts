import type { SteerState } from "../../domain/delivery.ts";
import type { RunSettings } from "../../domain/settings/agent-settings.ts";
import type { Json, JsonObject } from "../../domain/json.ts";
import type { MessageContent } from "../../domain/message.ts";
import type { RunMemory, RunStatus, UnusedAnswer } from "../../domain/run.ts";
import type { RunFiles } from "../../domain/files/working-files.ts";
import type { Suspension } from "../../domain/suspension.ts";

/** Runs of a session, the queue of messages behind them, and their suspensions. */
export interface RunStore {
  readQueue(sessionId: string): Promise<readonly QueuedMessage[]>;
  readRun(runId: string): Promise<Run | null>;
  /** Those of the runs that can be read, in no order. */
  findRuns(runIds: readonly string[]): Promise<readonly Run[]>;
  /** Sorted by the time they were queued. Without a page, all of them. */
  readRuns(sessionId: string, page?: RunsPage): Promise<readonly Run[]>;
  /** The runs of a session that were taken back. */
  rewoundRuns(sessionId: string): Promise<ReadonlySet<string>>;
  /** Suspensions of these runs, oldest first, at most `perRun` of each. */
  readRunSuspensions(query: RunSuspensionsQuery): Promise<readonly RunSuspension[]>;
  /** The closed permissions of these tool calls, oldest first. */
  readDecisions(query: DecisionsQuery): Promise<readonly StoredDecision[]>;
  readSuspension(suspensionId: string): Promise<StoredSuspension | null>;
  /** All suspensions of a session, open and closed, oldest first. */
  readSuspensions(sessionId: string, page?: TimePage): Promise<readonly StoredSuspension[]>;
  /** Open suspensions of all sessions, oldest first: the inbox. */
  openSuspensions(): Promise<readonly StoredSuspension[]>;
  /** Permissions of all sessions that were granted and never used, oldest first, without dismissed ones. */
  unusedAnswers(): Promise<readonly ShownUnusedAnswer[]>;
  /** False when the run has no unused answers, or they were dismissed before. */
  dismissUnused(run: { readonly sessionId: string; readonly runId: string }): Promise<boolean>;
}

/** One page of a list sorted by time. */
export interface TimePage {
  readonly after?: { readonly at: number; readonly id: string };
  readonly limit: number;
}

export interface RunsPage extends TimePage {
  readonly statuses?: readonly RunStatus[];
}

export interface Run extends RunFiles {
  readonly id: string;
  readonly sessionId: string;
  readonly messageId: string;
  readonly status: RunStatus;
  readonly provider: string | null;
  readonly model: string | null;
  /** The mode and options that its message chose; absent if it chose none. */
  readonly settings?: RunSettings;
  readonly attempts: number;
  readonly stopReason: string | null;
  readonly error: Json;
  readonly usage: JsonObject | null;
  /** How its agent knew the earlier messages; null until it got the message. */
  readonly memory: RunMemory | null;
  /** Permissions that were granted and, as far as can be seen, never used. Set when the run ends. */
  readonly unusedAnswers: readonly UnusedAnswer[];
  readonly queuedAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

export interface QueuedMessage {
  readonly messageId: string;
  readonly runId: string;
  readonly content: MessageContent;
  readonly provider: string | null;
  readonly model: string | null;
  readonly settings?: RunSettings;
  readonly queuedAt: number;
  /** Absent unless it is to be given to the running agent. */
  readonly steer?: SteerState;
}

export interface StoredSuspension extends Suspension {
  readonly sessionId: string;
  readonly runId: string;
  readonly status: "open" | "answered" | "withdrawn" | "expired" | "released";
  readonly answer: Json;
  readonly answeredBy: string | null;
  readonly closedAt: number | null;
}

/** An unused answer of a session's last run that nobody has dismissed. A new message hides it. */
export interface ShownUnusedAnswer extends UnusedAnswer {
  readonly sessionId: string;
  readonly runId: string;
  /** When the run ended. */
  readonly at: number;
}

export interface RunSuspensionsQuery {
  readonly sessionId: string;
  readonly runIds: readonly string[];
  readonly perRun: number;
}

/** A suspension without its long parts: no request, and no answer longer than a line. */
export type RunSuspension = Omit<
  StoredSuspension,
  "request" | "fingerprint" | "expiresAt" | "sessionId"
>;

export interface DecisionsQuery {
  readonly sessionId: string;
  readonly calls: readonly RunCall[];
}

/** A tool call. Agents number the calls of each run from the start. */
export interface RunCall {
  readonly runId: string;
  readonly callId: string;
}

/** A closed permission without the long parts of its request. */
export interface StoredDecision
  extends RunCall, Pick<StoredSuspension, "id" | "answer" | "answeredBy" | "closedAt"> {
  readonly status: Exclude<StoredSuspension["status"], "open">;
  /** The options of the request; null if they are too long. */
  readonly options: Json;
}
