import type { State, Status } from "@holdfast/protocol";

export type StandingTone = "quiet" | "running" | "waiting" | "stopped" | "failed" | "away";

export interface Standing {
  readonly tone: StandingTone;
  readonly words: string;
  /** The tooltip. */
  readonly title: string;
}

/** The status and state of a session as the page shows them. */
export function standingOf({
  status,
  state,
}: {
  readonly status: Status;
  readonly state: State;
}): Standing {
  switch (status) {
    case "archived":
      return { tone: "away", words: "Archived", title: "Archived. It accepts no messages." };
    case "error":
      return {
        tone: "failed",
        words: "Error",
        title: "It cannot continue. It accepts no messages.",
      };
    case "active":
    case "suspended":
      return openStandingOf({ status, state });
    default:
      return status satisfies never;
  }
}

function openStandingOf({
  status,
  state,
}: {
  readonly status: "active" | "suspended";
  readonly state: State;
}): Standing {
  switch (state) {
    case "running":
      return { tone: "running", words: "Running", title: "An agent is at work." };
    case "suspended":
      return { tone: "waiting", words: "Needs you", title: "A run waits for an answer." };
    case "idle":
      return status === "suspended"
        ? {
            tone: "stopped",
            words: "Suspended",
            title: "The server was stopped. The next message resumes the session.",
          }
        : { tone: "quiet", words: "Idle", title: "Ready for the next message." };
    default:
      return state satisfies never;
  }
}
