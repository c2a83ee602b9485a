import type { Session } from "@holdfast/protocol";

export type ComposerState =
  | {
      readonly open: true;
      /** The effect of sending; null when the message starts at once. */
      readonly note: string | null;
      /** The label of the button. */
      readonly send: "Send" | "Queue";
      /** The label of the interrupt button; null when there is no run to interrupt. */
      readonly interrupt: string | null;
      /** Whether the agent at work takes messages. */
      readonly canSteer: boolean;
    }
  | {
      readonly open: false;
      readonly reason: string;
      /** The offered action. */
      readonly way: "fork" | "accept" | null;
    };

/** Whether a session accepts messages, and what happens to them. */
export function composerStateOf(
  session: Pick<
    Session,
    | "status"
    | "state"
    | "repoId"
    | "delivery"
    | "failure"
    | "queued"
    | "supportsSteering"
    | "rewind"
  >,
): ComposerState {
  const { status, state, repoId, delivery, failure, queued } = session;
  if (status === "archived")
    return closed("This session is archived. It accepts no messages.", "fork");
  if (status === "error") {
    const why = failure === null ? "" : `: ${failure.replace(/\.$/u, "")}`;
    return closed(`This session cannot continue${why}.`, "fork");
  }
  if (repoId === null)
    return closed(
      "This session has no repository: it only tracks an agent that runs elsewhere.",
      null,
    );
  if (delivery === "reject")
    return closed("This session accepts no messages at the moment.", "accept");
  const interrupt = INTERRUPT[state];
  if (delivery === "hold") {
    const note = "Messages are held back in the queue";
    return { open: true, note, send: "Queue", interrupt, canSteer: false };
  }
  if (session.rewind?.status === "restoring") {
    const note = "Files are being restored; the message waits for that";
    return { open: true, note, send: "Queue", interrupt, canSteer: false };
  }
  const note = noteOf(status, state, queued);
  const send = state === "idle" && queued === 0 ? "Send" : "Queue";
  const canSteer = session.supportsSteering && status === "active" && state !== "idle";
  return { open: true, note, send, interrupt, canSteer };
}

const INTERRUPT = {
  running: "Interrupt and send",
  suspended: "Stop waiting and send",
  idle: null,
} as const satisfies Record<Session["state"], string | null>;

function closed(reason: string, way: "fork" | "accept" | null): ComposerState {
  return { open: false, reason, way };
}

function noteOf(
  status: "active" | "suspended",
  state: Session["state"],
  queued: number,
): string | null {
  switch (state) {
    case "running":
      return "Queues behind the current run";
    case "suspended":
      return status === "suspended"
        ? "Sending resumes this session; the message waits for the answer above"
        : "Waits in the queue for the answer above";
    case "idle":
      if (status === "suspended") return "Sending resumes this session";
      return queued === 0 ? null : "Queues behind other messages";
    default:
      return state satisfies never;
  }
}
