import type { Session } from "@holdfast/protocol";

export type ComposerState =
  | {
      readonly open: true;
      /** What happens to a message; null when it starts at once. */
      readonly note: string | null;
      /** The label of the button. */
      readonly send: "Send" | "Queue";
      /** The label of the interrupt button; null when there is no run to interrupt. */
      readonly interrupt: string | null;
    }
  | {
      readonly open: false;
      readonly reason: string;
      /** The offered action. */
      readonly way: "fork" | "accept" | null;
    };

/** Whether a session accepts messages, and what happens to them. */
export function composerStateOf(
  session: Pick<Session, "status" | "state" | "repoId" | "delivery" | "failure" | "queued">,
): ComposerState {
  const { status, state, repoId, delivery, failure, queued } = session;
  if (status === "archived")
    return {
      open: false,
      reason: "This session is archived. It accepts no messages.",
      way: "fork",
    };
  if (status === "error") {
    const why = failure === null ? "" : `: ${failure.replace(/\.$/u, "")}`;
    return { open: false, reason: `This session cannot continue${why}.`, way: "fork" };
  }
  if (repoId === null)
    return {
      open: false,
      reason: "This session has no repository: it only tracks an agent that runs elsewhere.",
      way: null,
    };
  if (delivery === "reject")
    return {
      open: false,
      reason: "This session accepts no messages at the moment.",
      way: "accept",
    };
  const interrupt = interruptText(state);
  if (delivery === "hold")
    return {
      open: true,
      note: "Messages are held back: it waits in the queue",
      send: "Queue",
      interrupt,
    };
  const note = noteOf({ status, state, queued });
  return { open: true, note, send: state === "idle" && queued === 0 ? "Send" : "Queue", interrupt };
}

function noteOf({
  status,
  state,
  queued,
}: {
  readonly status: "active" | "suspended";
  readonly state: Session["state"];
  readonly queued: number;
}): string | null {
  switch (state) {
    case "running":
      return "Queues behind the current run";
    case "suspended":
      return status === "suspended"
        ? "Sending resumes this session; the message waits for the answer above"
        : "Waits in the queue for the answer above";
    case "idle":
      if (status === "suspended") return "Sending resumes this session";
      return queued === 0 ? null : "Queues behind what waits already";
    default:
      return state satisfies never;
  }
}

function interruptText(state: Session["state"]): string | null {
  switch (state) {
    case "running":
      return "Interrupt and send";
    case "suspended":
      return "Stop waiting and send";
    case "idle":
      return null;
    default:
      return state satisfies never;
  }
}
