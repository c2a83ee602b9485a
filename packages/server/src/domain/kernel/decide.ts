import type { Command } from "./command.ts";
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
  decideArchive,
  decideComeBack,
  decideCreate,
  decideDelete,
  decideFail,
  decideFinalize,
  decideRecordResume,
  decideResume,
  decideSuspend,
  decideUpdate,
} from "./decide-session.ts";
import { refuse, type Decision } from "./decision.ts";
import type { Session } from "../session.ts";

/** Every rule of a session is reached from here. Pure: it answers what would happen, and does nothing. */
export function decide(session: Session | null, command: Command): Decision {
  if (command.type === "create") return decideCreate(session, command);
  if (session === null) return refuse(null, "session_not_found", "There is no such session.");
  // A clock that jumps back must not make a session's history run backwards.
  return decideExisting(session, { ...command, at: Math.max(command.at, session.updatedAt) });
}

function decideExisting(session: Session, command: Exclude<Command, { type: "create" }>): Decision {
  switch (command.type) {
    case "send":
      return decideSend(session, command);
    case "edit-queued":
      return decideEditQueued(session, command);
    case "move-queued":
      return decideMoveQueued(session, command);
    case "withdraw-queued":
      return decideWithdrawQueued(session, command);
    case "start-run":
      return decideStartRun(session, command);
    case "hand-run":
      return decideHandRun(session, command);
    case "retry-run":
      return decideRetryRun(session, command);
    case "requeue-run":
      return decideRequeueRun(session, command);
    case "suspend-run":
      return decideSuspendRun(session, command);
    case "close-suspension":
      return decideCloseSuspension(session, command);
    case "answer":
      return decideAnswer(session, command);
    case "end-run":
      return decideEndRun(session, command);
    case "cancel":
      return decideCancel(session, command);
    case "release":
      return decideRelease(session, command);
    case "update":
      return decideUpdate(session, command);
    case "record-resume":
      return decideRecordResume(session, command);
    case "suspend":
      return decideSuspend(session, command);
    case "come-back":
      return decideComeBack(session, command);
    case "resume":
      return decideResume(session, command);
    case "archive":
      return decideArchive(session, command);
    case "fail":
      return decideFail(session, command);
    case "finalize":
      return decideFinalize(session, command);
    case "delete":
      return decideDelete(session, command);
    default:
      return command satisfies never;
  }
}
