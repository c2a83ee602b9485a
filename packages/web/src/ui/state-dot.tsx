import type { Session } from "@holdfast/protocol";
import type { ReactElement } from "react";
import { classNames } from "./class-names.ts";

/** The words and their tooltip, and the classes of the dot and of the words. */
const STANDINGS = {
  idle: {
    words: "Idle",
    title: "Ready for the next message.",
    dot: "border-2 border-line-strong",
    color: "text-muted",
  },
  running: {
    words: "Running",
    title: "An agent is at work.",
    dot: "bg-accent motion-safe:animate-pulse",
    color: "text-accent",
  },
  waiting: {
    words: "Needs you",
    title: "A run waits for an answer.",
    dot: "bg-warn",
    color: "text-warn",
  },
  suspended: {
    words: "Suspended",
    title: "The server was stopped. The next message resumes the session.",
    dot: "bg-line-strong",
    color: "text-muted",
  },
  archived: {
    words: "Archived",
    title: "Archived. It accepts no messages.",
    dot: "border-2 border-line-strong opacity-60",
    color: "text-muted",
  },
  error: {
    words: "Error",
    title: "It cannot continue. It accepts no messages.",
    dot: "bg-danger",
    color: "text-danger",
  },
} as const;

/** The status and state of a session as the page shows them. */
export function standingOf({ status, state }: Pick<Session, "status" | "state">) {
  if (status === "archived" || status === "error") return STANDINGS[status];
  if (state === "suspended") return STANDINGS.waiting;
  return STANDINGS[state === "idle" && status === "suspended" ? status : state];
}

/** The state of a session as a dot and in words. */
export function StateDot(props: Pick<Session, "status" | "state">): ReactElement {
  const { words, title, dot, color } = standingOf(props);
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap" title={title}>
      <span aria-hidden="true" className={classNames("size-2 shrink-0 rounded-full", dot)} />
      <span className={classNames("font-medium", color)}>{words}</span>
    </span>
  );
}
