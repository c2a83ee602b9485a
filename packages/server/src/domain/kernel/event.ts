import type { KeptSettings, SettingsChange } from "../settings/agent-settings.ts";
import type { AgentChoice } from "../choose-agent.ts";
import type { QueueEntry, SteerOutcome } from "../delivery.ts";
import type { Json } from "../json.ts";
import type { Connections } from "../mcp-server.ts";
import type { Outcome, PhaseChange } from "../phase.ts";
import type { CurrentRun, RunError, RunMemory, RunResult, UnusedAnswer, Usage } from "../run.ts";
import type { ResumePoint } from "../resume-point.ts";
import type { ForkOrigin, RecordedError, Session } from "../session.ts";
import type { SessionFolder, SessionWorkspace, Worktree } from "../files/session-folder.ts";
import type { Closing, Suspension } from "../suspension.ts";
import type { FilesRecord, Rewind } from "../files/working-files.ts";

/** The events of a session. `evolve` folds the log of them into the session. */
export type SessionEvent = EventOf<keyof EventFields>;

export type EventOf<Type extends keyof EventFields> = Tagged<EventFields, Type>;

/** A union of `{type, at, …fields}`, one member for each of the types. */
export type Tagged<Fields, Type extends keyof Fields> = {
  [Each in Type]: { readonly type: Each; readonly at: number } & Fields[Each];
}[Type];

/** The fields of an event beside its type and time. */
export interface EventFields {
  "session.created": SessionFields;
  /** The session comes from a bundle or from a portal's database. */
  "session.imported": { readonly session: ImportedSession };
  "session.updated": {
    readonly changes: SessionChanges;
    /** The provider whose agent gave the title. Absent if a person or an orchestrator changed the session. */
    readonly titledBy?: string;
  };
  "session.suspended": {
    /** `unavailable`: the server runs, but the session's repository is missing. */
    readonly cause: "shutdown" | "crash" | "unavailable";
    /** Why the session cannot continue. Absent if only the server stopped. */
    readonly reason?: string;
  };
  "session.resumed": {
    /** The server started again. Absent if a person resumed the session or sent a message. */
    readonly by?: "server";
  };
  /** A heartbeat: the phase or metadata was reported again without a change. */
  "session.touched": NoFields;
  "session.archived": NoFields;
  "session.failed": { readonly reason: string };
  "session.finalized": { readonly outcome: Outcome; readonly summary: string | null };
  "session.deleted": NoFields;
  "phase.changed": Omit<PhaseChange, "at">;
  "error.recorded": { readonly error: RecordedError };
  "resume.recorded": {
    /** Absent in events of version 0.1, whose `resumeData` is `{provider, data}`. */
    readonly provider?: string;
    readonly supportsResume: boolean;
    readonly resumeData: Json;
    /** The mode in which the agent opened its session, if none was kept. Absent if there is none, or in old events. */
    readonly mode?: string;
    /** Absent if the agent takes no messages during its work, or in old events. */
    readonly supportsSteering?: true;
  };
  "settings.changed": SettingsChange & {
    /** The model that the agent chose itself. */
    readonly model?: string;
    /** `server`: the value before a run that changes it for itself. */
    readonly by: "user" | "agent" | "server";
  };
  /** A snapshot of the working files, or a comparison of two. */
  "files.recorded": { readonly record: FilesRecord };
  /** The session got its worktree, or lost it. */
  "worktree.changed": { readonly worktree: Worktree | null };
  "pull-request.opened": { readonly url: string };
  /** What follows no longer belongs to the conversation, and files are restored. */
  "session.rewound": { readonly rewind: Rewind };
  "rewind.ended": { readonly id: string; readonly error: string | null };
  "message.queued": { readonly entry: QueueEntry; readonly position: number };
  "message.edited": { readonly messageId: string };
  "message.moved": { readonly messageId: string; readonly position: number };
  "message.withdrawn": { readonly messageId: string; readonly runId: string };
  /** The session ended while the message was queued. It stays in the history; no agent got it. */
  "message.undelivered": { readonly messageId: string; readonly runId: string };
  /** `runId`: the run of the agent that works now. */
  "message.steered": {
    readonly messageId: string;
    readonly runId: string;
    readonly outcome: SteerOutcome;
  };
  "run.started": { readonly run: CurrentRun };
  "run.handed": {
    readonly runId: string;
    /** Set with a prompt, not with an answer to a waiting agent. */
    readonly memory?: RunMemory;
  };
  "run.retried": { readonly runId: string; readonly error: RunError };
  "run.requeued": { readonly entry: QueueEntry };
  "run.suspended": { readonly runId: string; readonly suspension: Suspension };
  "suspension.closed": { readonly suspensionId: string; readonly closing: Closing };
  "run.resumed": { readonly runId: string };
  "run.ended": {
    readonly runId: string;
    readonly result: RunResult;
    readonly usage: Usage | null;
    /** Absent if there are none. */
    readonly unusedAnswers?: readonly UnusedAnswer[];
    /** The last line that the agent said; absent if it said nothing. */
    readonly line?: string;
  };
  /** The agent produced output. The messages hold it; the event records the activity. */
  "output.appended": NoFields;
}

export type NoFields = Readonly<Record<never, never>>;

/** Bundles of version 0.1 have no `lastRun`, settings and connections, and another form of resume data. */
type ImportedSession = Omit<Session, AddedLater> & Partial<Pick<Session, AddedLater>>;
type AddedLater =
  | "lastRun"
  | "settings"
  | "supportsSteering"
  | "lastTurn"
  | keyof Connections
  | keyof SessionFolder;

/** The fields with which a session is created. */
interface SessionFields
  extends
    Pick<
      Session,
      "id" | "repoId" | "title" | "provider" | "model" | "agentName" | "purpose" | "metadata"
    >,
    /** Absent if there are none, and in events that are older than these fields. */
    Partial<Connections> {
  /** Absent in events that are older than this field. */
  readonly agentId?: string | null;
  readonly forkedFrom: ForkOrigin | null;
  /** A fork continues with the provider and model that its origin used last. */
  readonly lastRun?: AgentChoice | null;
  /** Absent if nothing is chosen, or in older events. */
  readonly settings?: readonly KeptSettings[];
  /** Absent if it is the folder of the repository. */
  readonly workspace?: SessionWorkspace;
  /** A fork copies the sessions of its origin's agents, where they can do that. */
  readonly resumeData?: readonly ResumePoint[];
}

/** Contains only changed fields. `metadata` contains only the keys to set. */
export interface SessionChanges extends Partial<
  Pick<Session, "title" | "metadata" | "delivery" | "provider" | "model" | keyof Connections>
> {
  /** Resets the number of errors. */
  readonly errorCount?: 0;
}
