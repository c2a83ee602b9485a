import type { State, Status } from "@holdfast/protocol";
import type { ReactElement } from "react";
import { classNames } from "./class-names.ts";
import { standingOf, type StandingTone } from "./standing.ts";

const DOTS = {
  quiet: "border-2 border-line-strong",
  running: "bg-accent motion-safe:animate-pulse",
  waiting: "bg-warn",
  stopped: "bg-line-strong",
  failed: "bg-danger",
  away: "border-2 border-line-strong opacity-60",
} as const satisfies Record<StandingTone, string>;

const WORDS = {
  quiet: "text-muted",
  running: "text-accent",
  waiting: "text-warn",
  stopped: "text-muted",
  failed: "text-danger",
  away: "text-muted",
} as const satisfies Record<StandingTone, string>;

/** The state of a session as a dot and in words. */
export function StateDot({
  status,
  state,
  dotOnly = false,
}: {
  readonly status: Status;
  readonly state: State;
  readonly dotOnly?: boolean;
}): ReactElement {
  const { tone, words, title } = standingOf({ status, state });
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap" title={title}>
      <span aria-hidden="true" className={classNames("size-2 shrink-0 rounded-full", DOTS[tone])} />
      <span className={dotOnly ? "sr-only" : classNames("font-medium", WORDS[tone])}>{words}</span>
    </span>
  );
}
