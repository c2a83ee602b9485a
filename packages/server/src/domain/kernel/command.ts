import type { SettingsChange } from "../settings/agent-settings.ts";
import type { DeliveryMode, QueueEntry } from "../delivery.ts";
import type { EventFields, NoFields, SessionChanges, Tagged } from "./event.ts";
import type { Json } from "../json.ts";
import type { Phase } from "../phase.ts";
import type { RunStart } from "../run.ts";
import type { RecordedError } from "../session.ts";
import type { Closing } from "../suspension.ts";
import type { FilesRecord, RewindRequest } from "../files/working-files.ts";

/** A request to change a session. It carries time and IDs, since `decide` has neither. */
export type Command = CommandOf<keyof CommandFields>;

export type CommandOf<Type extends keyof CommandFields> = Tagged<CommandFields, Type>;

/** The fields of a command beside its type and time. */
type CommandFields = UserCommands & RunCommands & ServerCommands;

/** Commands of people and orchestrators. */
interface UserCommands {
  create: EventFields["session.created"];
  send: Omit<QueueEntry, "attempts" | "steer"> & {
    readonly delivery: DeliveryMode;
    readonly maxQueued: number;
    /** Set when a slot for an agent is free: an idle session then starts at once. */
    readonly start: RunStart | null;
  };
  update: {
    readonly changes: SessionChanges;
    readonly phase?: Phase;
    readonly error?: RecordedError;
    readonly settings?: SettingsChange;
  };
  cancel: { readonly reason: string; readonly runId?: string };
  release: { readonly reason: string };
  answer: { readonly suspensionId: string; readonly answer: Json; readonly by: string | null };
  resume: NoFields;
  archive: NoFields;
  fail: EventFields["session.failed"];
  finalize: EventFields["session.finalized"];
  delete: NoFields;
  "edit-queued": EventFields["message.edited"];
  "move-queued": EventFields["message.moved"];
  "withdraw-queued": { readonly messageId: string };
  rewind: { readonly rewind: RewindRequest };
}

/** Reports of the driver of a run. */
interface RunCommands {
  "start-run": { readonly runId: string; readonly start: RunStart };
  "hand-run": EventFields["run.handed"];
  "retry-run": EventFields["run.retried"];
  /** The message was stored as handed to an agent, but was not. It returns to the head of the queue. */
  "requeue-run": { readonly runId: string };
  "suspend-run": EventFields["run.suspended"];
  "close-suspension": {
    readonly suspensionId: string;
    readonly how: Exclude<Closing["how"], "answered" | "released">;
  };
  /** The running agent is about to get the message, or has taken or refused it. */
  "steer-run": EventFields["message.steered"];
  /** No agent works on the run that could take its steered messages. */
  "drop-steering": { readonly runId: string };
  "end-run": EventFields["run.ended"];
  "record-resume": Required<Omit<EventFields["resume.recorded"], "mode" | "supportsSteering">> &
    Pick<EventFields["resume.recorded"], "mode" | "supportsSteering">;
  /** The agent changed them itself, or a run is about to change them for itself. */
  "keep-settings": EventFields["settings.changed"];
  "record-files": { readonly record: FilesRecord };
  "record-worktree": EventFields["worktree.changed"];
  "record-pull-request": EventFields["pull-request.opened"];
  /** The files are as the rewind wants them, or cannot be. */
  "end-rewind": EventFields["rewind.ended"];
  /** The agent names its session. It never replaces a title that a person gave. */
  "suggest-title": { readonly provider: string; readonly title: string };
}

/** Commands of a server that stops or starts. */
interface ServerCommands {
  suspend: { readonly cause: "shutdown" | "crash" };
  "come-back": {
    /** Why the session cannot continue here; null when it can. */
    readonly obstacle: string | null;
  };
}

export type Create = CommandOf<"create">;
export type Send = CommandOf<"send">;
export type Update = CommandOf<"update">;
