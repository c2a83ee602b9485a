import type { Command, CommandOf } from "./command.ts";
import {
  decideEditQueued,
  decideMoveQueued,
  decideSend,
  decideWithdrawQueued,
} from "./decide-message.ts";
import {
  decideAnswer,
  decideCancel,
  decideCloseSuspension,
  decideEndRun,
  decideHandRun,
  decideRelease,
  decideRequeueRun,
  decideRetryRun,
  decideStartRun,
  decideSuspendRun,
} from "./decide-run.ts";
import {
  decideEndRewind,
  decideRecordFiles,
  decideRecordPullRequest,
  decideRecordWorktree,
  decideRewind,
} from "./decide-files.ts";
import { decideDropSteering, decideSteerRun } from "./decide-steering.ts";
import {
  decideArchive,
  decideComeBack,
  decideCreate,
  decideDelete,
  decideFail,
  decideFinalize,
  decideKeepSettings,
  decideRecordResume,
  decideSuggestTitle,
  decideResume,
  decideSuspend,
  decideUpdate,
} from "./decide-session.ts";
import { refuse, type Decision } from "./decision.ts";
import type { Session } from "../session.ts";

/** The entry to all rules of a session. It is pure: it returns the events and changes nothing. */
export function decide(session: Session | null, command: Command): Decision {
  if (command.type === "create") return decideCreate(session, command);
  if (session === null) return refuse(null, "session_not_found", "There is no such session.");
  // If the clock is set back, the history of the session must not run backwards.
  return decideExisting(session, { ...command, at: Math.max(command.at, session.updatedAt) });
}

type ExistingType = Exclude<Command["type"], "create">;

function decideExisting<Type extends ExistingType>(
  session: Session,
  command: CommandOf<Type>,
): Decision {
  return RULES[command.type](session, command);
}

const RULES: {
  readonly [Type in ExistingType]: (session: Session, command: CommandOf<Type>) => Decision;
} = {
  send: decideSend,
  "edit-queued": decideEditQueued,
  "move-queued": decideMoveQueued,
  "withdraw-queued": decideWithdrawQueued,
  "start-run": decideStartRun,
  "hand-run": decideHandRun,
  "retry-run": decideRetryRun,
  "requeue-run": decideRequeueRun,
  "suspend-run": decideSuspendRun,
  "close-suspension": decideCloseSuspension,
  answer: decideAnswer,
  "steer-run": decideSteerRun,
  "drop-steering": decideDropSteering,
  "end-run": decideEndRun,
  cancel: decideCancel,
  release: decideRelease,
  update: decideUpdate,
  "record-resume": decideRecordResume,
  "keep-settings": decideKeepSettings,
  "suggest-title": decideSuggestTitle,
  "record-files": decideRecordFiles,
  "record-worktree": decideRecordWorktree,
  "record-pull-request": decideRecordPullRequest,
  rewind: decideRewind,
  "end-rewind": decideEndRewind,
  suspend: decideSuspend,
  "come-back": decideComeBack,
  resume: decideResume,
  archive: decideArchive,
  fail: decideFail,
  finalize: decideFinalize,
  delete: decideDelete,
};
