import { activityOf, type Session } from "../session.ts";

/** What must be going on in the world because of what is stored. Acting on it is also recovery. */
export type Duty =
  /** No agent may be alive for it. */
  | { readonly do: "clear" }
  /** Nothing to do; an agent may stay alive until it has been idle long enough. */
  | { readonly do: "rest" }
  /** Start the run of the oldest queued message as soon as there is a place for its agent. */
  | { readonly do: "start"; readonly runId: string; readonly messageId: string }
  /** An agent works on the run; when it has not been `handed` the message or answer, give it. */
  | { readonly do: "drive"; readonly runId: string; readonly handed: boolean }
  /** Keep the suspensions open, and close them when the earliest one's time is up. */
  | { readonly do: "await"; readonly runId: string; readonly until: number | null };

export function dutyOf(session: Session | null): Duty {
  if (session === null) return { do: "clear" };
  if (session.standing.status === "archived" || session.standing.status === "error")
    return { do: "clear" };
  const activity = activityOf(session);
  switch (activity.state) {
    case "running":
      return { do: "drive", runId: activity.run.id, handed: activity.run.handed };
    case "suspended": {
      const deadlines = activity.suspensions.flatMap(({ expiresAt }) => expiresAt ?? []);
      return {
        do: "await",
        runId: activity.run.id,
        until: deadlines.length === 0 ? null : Math.min(...deadlines),
      };
    }
    case "idle": {
      const [next] = session.queue;
      if (next === undefined || session.delivery !== "open") return { do: "rest" };
      return { do: "start", runId: next.runId, messageId: next.messageId };
    }
    default:
      return activity satisfies never;
  }
}
