import type { ContinuityPolicy, QueueEntry } from "../../domain/delivery.ts";
import type { Message } from "../../domain/message.ts";
import type { Session } from "../../domain/session.ts";
import type { QueuedMessage, Run, StoredSuspension } from "./run-store.ts";
import type { StoredSession } from "./session-store.ts";
import type { NewMessage } from "./transcript-store.ts";

/** Imports an exported session in parts. The session stays invisible (staged) until the import is finished. */
export interface ImportStore {
  beginImport(begin: { readonly staging: Staging; readonly at: number }): Promise<ImportBegun>;
  addToImport(part: ImportPart): Promise<ImportAdded>;
  finishImport(end: ImportEnd): Promise<ImportFinished>;
  /** Ends the import and removes a part of its rows; true when no row is left. */
  dropImport(staging: Staging): Promise<boolean>;
  /** Imports whose lease has expired. */
  abandonedImports(): Promise<readonly Staging[]>;
}

/** One import of one session. */
export interface Staging {
  readonly sessionId: string;
  /** Differs for each attempt: an attempt that lost the session to another cannot continue. */
  readonly importId: string;
}

export type ImportBegun =
  | { readonly ok: true }
  | { readonly ok: false; readonly refused: "session_exists" | "being_imported" }
  /** An abandoned import has the session. It must be dropped first. */
  | { readonly ok: false; readonly refused: "left_over"; readonly staging: Staging };

/** Rows of the session, in any number of parts. Runs precede their suspensions. */
export interface ImportPart {
  readonly staging: Staging;
  /** Messages keep their sequence numbers. */
  readonly messages: readonly StagedMessage[];
  readonly runs: readonly StagedRun[];
  /** Closed suspensions only. Open ones come with `ImportEnd`. */
  readonly suspensions: readonly StagedSuspension[];
  readonly queued: readonly StagedQueueEntry[];
}

export type StagedMessage = Omit<Message, "sessionId" | "complete">;
export type StagedRun = Omit<Run, "sessionId" | "filesBefore" | "filesAfter"> & {
  readonly continuity: ContinuityPolicy;
  readonly handed: boolean;
};
export type StagedSuspension = Omit<StoredSuspension, "sessionId">;
export type StagedQueueEntry = QueueEntry &
  Pick<QueuedMessage, "content" | "queuedAt"> & {
    /** From 1. */
    readonly position: number;
  };

/** A refused import can only be dropped. */
export type ImportAdded =
  | { readonly ok: true }
  /** Another session has a message, run or suspension with one of the IDs. */
  | { readonly ok: false; readonly refused: "ids_taken" }
  /** The import contains the ID twice. */
  | { readonly ok: false; readonly refused: "repeated"; readonly id: string }
  | { readonly ok: false; readonly refused: "no_run"; readonly suspensionId: string }
  | ImportLost;

/** The lease of the import expired, and another process dropped it. */
export interface ImportLost {
  readonly ok: false;
  readonly refused: "import_lost";
}

export interface ImportEnd {
  readonly staging: Staging;
  readonly at: number;
  /** The session as it will be here. It has no active run. */
  readonly session: Session;
  /** The last sequence number of the imported log. */
  readonly lastSeq: number;
  /** Open suspensions. */
  readonly suspensions: readonly StagedSuspension[];
  /** Added to the end of the history. */
  readonly notices: readonly NewMessage[];
}

/** After `repo_missing` or `agent_id_taken` the caller may try again without the repository or the agent ID. */
export type ImportFinished =
  | { readonly ok: true; readonly stored: StoredSession }
  | { readonly ok: false; readonly refused: "repo_missing" | "agent_id_taken" }
  | Exclude<ImportAdded, { readonly ok: true }>;
