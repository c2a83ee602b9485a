import type { ReactElement } from "react";
import type { SessionCount } from "./readiness.ts";

const MEANING = {
  active: "take messages",
  suspended: "a message resumes them",
  archived: "put away by you",
  error: "cannot go on",
} as const satisfies Record<SessionCount["status"], string>;

export function SessionCounts({
  counts,
}: {
  readonly counts: readonly SessionCount[];
}): ReactElement | null {
  if (counts.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      <dl className="counts">
        {counts.map(({ status, count }) => (
          <div key={status} className={count === 0 ? "none" : status}>
            <dt>{status}</dt>
            <dd className="count">{count.toLocaleString()}</dd>
            <dd className="meaning">{MEANING[status]}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
