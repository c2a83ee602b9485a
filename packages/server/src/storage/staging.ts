import type { ContinuityPolicy, QueueEntry } from "../domain/delivery.ts";
import type { Message } from "../domain/message.ts";
import type { Session } from "../domain/session.ts";
import type { NewMessage, QueuedMessage, Run, StoredSession, StoredSuspension } from "./store.ts";

/** In the column `setAside` of a session that is still being imported: nobody sees it. */
export const STAGED = 2;

/** One import of one session. */
export interface Staging {
  readonly sessionId: string;
  /** Another with each try: whoever lost the import to another cannot go on with it. */
  readonly importId: string;
}

export type ImportBegun =
  | { readonly ok: true }
  | { readonly ok: false; readonly refused: "session_exists" | "being_imported" }
  /** An import of the session that nobody goes on with; to be dropped first. */
  | { readonly ok: false; readonly refused: "left_over"; readonly staging: Staging };

/** Rows of the session, in any number of parts. Runs come before their suspensions. */
export interface ImportPart {
  readonly staging: Staging;
  /** Each with the number it had. */
  readonly messages: readonly StagedMessage[];
  readonly runs: readonly StagedRun[];
  /** Closed ones: what the session still waits for comes at the end. */
  readonly suspensions: readonly StagedSuspension[];
  readonly queued: readonly StagedQueueEntry[];
}

export type StagedMessage = Omit<Message, "sessionId" | "complete">;
export type StagedRun = Omit<Run, "sessionId"> & {
  readonly continuity: ContinuityPolicy;
  readonly handed: boolean;
};
export type StagedSuspension = Omit<StoredSuspension, "sessionId">;
export type StagedQueueEntry = QueueEntry &
  Pick<QueuedMessage, "content" | "queuedAt"> & {
    /** From 1. */
    readonly position: number;
  };

/** After a refusal the import can only be dropped. */
export type ImportAdded =
  | { readonly ok: true }
  /** An id is that of a message, run or suspension of another session. */
  | { readonly ok: false; readonly refused: "ids_taken" }
  /** The session itself has the id already. */
  | { readonly ok: false; readonly refused: "repeated"; readonly id: string }
  | { readonly ok: false; readonly refused: "no_run"; readonly suspensionId: string }
  | ImportLost;

/** The import was dropped, as one that nobody seemed to go on with. */
export interface ImportLost {
  readonly ok: false;
  readonly refused: "import_lost";
}

export interface ImportEnd {
  readonly staging: Staging;
  readonly at: number;
  /** As it is to be here; never with a run under way. */
  readonly session: Session;
  /** Its log goes on after this. */
  readonly lastSeq: number;
  /** What it waits for. */
  readonly suspensions: readonly StagedSuspension[];
  /** Added to the history at its end. */
  readonly notices: readonly NewMessage[];
}

/** What is refused with `repo_missing` or `agent_id_taken` may be tried again without. */
export type ImportFinished =
  | { readonly ok: true; readonly stored: StoredSession }
  | { readonly ok: false; readonly refused: "repo_missing" | "agent_id_taken" }
  | Exclude<ImportAdded, { readonly ok: true }>;
