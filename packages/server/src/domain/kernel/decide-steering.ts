import type { CommandOf } from "./command.ts";
import { accept, NOTHING_TO_DO, refuse, type Decision } from "./decision.ts";
import { dropSteering } from "./run-events.ts";
import { currentRunOf, type Session } from "../session.ts";

/**
 * A message that is to steer a run is first queued as `wanted`, then stored as `given`, then given to the agent, and its outcome
 * is stored last. If the outcome cannot be stored, the message ends as `unknown` and is not given again.
 */
export function decideSteerRun(session: Session, command: CommandOf<"steer-run">): Decision {
  const { at, messageId, runId, outcome } = command;
  if (currentRunOf(session)?.id !== runId)
    return refuse(session, "run_not_current", "The run has ended.");
  const entry = session.queue.find((each) => each.messageId === messageId);
  const event = { type: "message.steered", at, messageId, runId, outcome } as const;
  switch (outcome) {
    case "given":
      if (entry?.steer === "given") return NOTHING_TO_DO;
      return entry?.steer === "wanted" && currentRunOf(session)?.handed === true
        ? accept(event)
        : refuseNotSteered(session);
    case "queued":
      return entry?.steer === undefined ? refuseNotSteered(session) : accept(event);
    case "injected":
    case "unknown":
      return entry?.steer === "given" ? accept(event) : refuseNotSteered(session);
    default:
      return outcome satisfies never;
  }
}

export function decideDropSteering(
  session: Session,
  { at, runId }: CommandOf<"drop-steering">,
): Decision {
  if (currentRunOf(session)?.id !== runId) return NOTHING_TO_DO;
  return accept(...dropSteering(session, at));
}

function refuseNotSteered(session: Session): Decision {
  return refuse(session, "message_not_queued", "The message does not wait to steer the run.");
}
