import { activityOf, type Session } from "../session.ts";
import type { Rewind } from "../files/working-files.ts";

/** The work that the stored session requires. Doing it is also the recovery after a crash. */
export type Duty =
  /** Stop the session's agent. */
  | { readonly do: "clear" }
  /** Nothing to do. An agent may stay alive until its idle time is over. */
  | { readonly do: "rest" }
  /** Start the run of the oldest queued message as soon as a slot for its agent is free. */
  | { readonly do: "start"; readonly runId: string; readonly messageId: string }
  /** Let an agent work on the run. Unless it is `handed`, give the message or answer to the agent. */
  | { readonly do: "drive"; readonly runId: string; readonly handed: boolean }
  /** Stop the agent, which knows too much, and change the working files as a rewind wants them. */
  | { readonly do: "restore"; readonly rewind: Rewind }
  /** Keep the suspensions open until the earliest one expires. */
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
      const { rewind } = session;
      if (rewind?.status === "restoring") return { do: "restore", rewind };
      const [next] = session.queue;
      if (next === undefined || session.delivery !== "open") return { do: "rest" };
      return { do: "start", runId: next.runId, messageId: next.messageId };
    }
    default:
      return activity satisfies never;
  }
}
