import type { ReactElement } from "react";
import { statusWord, type Standing, type StatusWord } from "../api/status-word.ts";
import { classNames } from "./class-names.ts";

interface Look {
  readonly title: string;
  readonly dot: string;
  readonly color: string;
}

const RING = "border-2 border-line-strong";

const LOOKS = {
  New: { title: "No run yet. The first message starts the agent.", dot: RING, color: "text-muted" },
  Queued: {
    title: "A message waits for its turn.",
    dot: "border-2 border-accent",
    color: "text-accent",
  },
  Running: {
    title: "An agent is at work.",
    dot: "bg-accent motion-safe:animate-pulse",
    color: "text-accent",
  },
  "Needs you": { title: "A run waits for your answer.", dot: "bg-warn", color: "text-warn" },
  Waiting: {
    title: "A run waits, and goes on by itself.",
    dot: "border-2 border-warn",
    color: "text-muted",
  },
  Done: { title: "The last run ended.", dot: "border-2 border-ok", color: "text-muted" },
  Failed: { title: "The last run failed.", dot: "bg-danger", color: "text-danger" },
  Interrupted: {
    title: "The last run was cut off. The next message goes on.",
    dot: "bg-danger",
    color: "text-danger",
  },
  Stopped: { title: "The last run was stopped.", dot: "bg-line-strong", color: "text-muted" },
  Paused: { title: "It cannot go on by itself.", dot: RING, color: "text-muted" },
  Archived: {
    title: "Archived. It accepts no messages.",
    dot: `${RING} opacity-60`,
    color: "text-muted",
  },
} as const satisfies Record<StatusWord, Look>;

/** The status of a session as a dot and one word. */
export function StateDot({
  session,
  dotOnly = false,
}: {
  readonly session: Standing;
  /** The word is for screen readers only. */
  readonly dotOnly?: boolean;
}): ReactElement {
  const word = statusWord(session);
  const { title, dot, color } = LOOKS[word];
  const mark = classNames("size-2 shrink-0 rounded-full", dot);
  if (dotOnly) {
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a dot needs no file
    return <span role="img" aria-label={word} title={`${word}. ${title}`} className={mark} />;
  }
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap" title={title}>
      <span aria-hidden="true" className={mark} />
      <span className={classNames("font-medium", color)}>{word}</span>
    </span>
  );
}
