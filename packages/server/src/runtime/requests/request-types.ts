import type { SteerOutcome } from "../../domain/delivery.ts";
import type { RunSettings } from "../../domain/settings/agent-settings.ts";
import type { Json, JsonObject } from "../../domain/json.ts";
import type { Create, Send, Update } from "../../domain/kernel/command.ts";
import type { Connections } from "../../domain/mcp-server.ts";
import type { MessageContent } from "../../domain/message.ts";
import type { SessionWorkspace } from "../../domain/files/session-folder.ts";
import type { SuspensionKind } from "../../domain/suspension.ts";
import type { WantedChange } from "../settings/option-types.ts";
import type { Run, SessionQuery } from "../../storage/store.ts";
import type { Reply } from "../reply.ts";
import type { SessionSnapshot } from "../session-snapshot.ts";
import type { AgentSessionEnd } from "./delete-agent-sessions.ts";

export interface OnSession {
  readonly sessionId: string;
  /** Refused as `version_mismatch` if the session has another version now. */
  readonly version?: number;
}

export interface Idempotent {
  /** The client's key and a digest of its request. The same pair gets the same reply. */
  readonly idempotency: { readonly key: string; readonly requestHash: string } | null;
}

/** `agentId` is the orchestrator's name for the session; unique. */
export interface CreateSession
  extends
    Idempotent,
    Required<
      Omit<
        Create,
        | "type"
        | "at"
        | "id"
        | "forkedFrom"
        | "lastRun"
        | "settings"
        | "resumeData"
        | "workspace"
        | keyof Connections
      >
    >,
    Partial<Connections> {
  /** For the provider of the session, or the default. */
  readonly settings?: RunSettings;
  readonly message: MessageContent | null;
  /** Absent: as the repository is configured. */
  readonly workspace?: Pick<SessionWorkspace, "kind" | "base">;
}

export interface ListSessions extends Omit<SessionQuery, "providers"> {
  /** Sessions that prefer this provider, or have no preference if it is the default. */
  readonly provider?: string;
}

export interface UpdateSession extends OnSession, Pick<Update, "changes" | "phase"> {
  readonly error?: string;
  /** For the provider of the next message. Null: the agent's default. */
  readonly settings?: WantedChange;
}

export interface DeleteSession extends OnSession {
  /** Also deletes the sessions that the session's agents keep, where they offer that. */
  readonly agentSessions?: boolean;
  /** Removes its worktree even if there is work in it that is not committed. It is kept as a ref. */
  readonly forceWorktree?: boolean;
}

/** The deleted session, and what became of the sessions of its agents, if these were to be deleted, and of its worktree. */
export type DeletedReply = Reply<{
  readonly session: SessionSnapshot;
  readonly agentSessions?: readonly AgentSessionEnd[];
  readonly worktreeEnd?: WorktreeEnd;
}>;

export interface WorktreeEnd {
  readonly path: string;
  readonly removed: boolean;
  readonly message: string | null;
  readonly keptAs: string | null;
}

export interface SendMessage
  extends Idempotent, Pick<Send, "provider" | "model" | "delivery" | "continuity"> {
  readonly sessionId: string;
  readonly content: MessageContent;
  /** Only for the run of this message. */
  readonly settings?: RunSettings;
}

/** An accepted message. */
export interface Sent {
  readonly messageId: string;
  readonly content: MessageContent;
  readonly at: number;
  readonly run: Run;
  /** False if its run started at once. */
  readonly queued: boolean;
  /** Its index in the queue; null if it is not queued. */
  readonly position: number | null;
  /** A sentence that says why it is queued; null if it is not. */
  readonly waitsFor: string | null;
  /** What became of a message that was to steer the run: see `SteerOutcome`. Absent for other messages. */
  readonly steering?: "pending" | Exclude<SteerOutcome, "given">;
}

export interface OnMessage extends OnSession {
  readonly messageId: string;
}

export interface EditQueued extends OnMessage {
  readonly content?: MessageContent;
  readonly position?: number;
}

export interface AnswerSuspension extends OnSession {
  readonly suspensionId: string;
  readonly answer: Json;
  /** Who answered, as it is recorded. */
  readonly by: string;
}

export interface AskFromAgent {
  readonly sessionId: string;
  readonly kind: Extract<SuspensionKind, "question" | "event">;
  /** An open question with the same `title` is not asked again. */
  readonly request: JsonObject & { readonly title: string };
  /** Null: it never expires. */
  readonly expiresInMs: number | null;
}
