import type { SessionCounts as Counts } from "@holdfast/protocol";
import type { ReactElement } from "react";

const STATUSES = ["active", "suspended", "archived", "error"] as const;

const MEANING = {
  active: "take messages",
  suspended: "a message resumes them",
  archived: "put away by you",
  error: "cannot go on",
} as const satisfies Record<(typeof STATUSES)[number], string>;

export function SessionCounts({ counts }: { readonly counts: Counts }): ReactElement {
  return (
    <section className="panel" aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      <dl className="counts">
        {STATUSES.map((status) => (
          <div key={status} className={counts[status] === 0 ? "none" : status}>
            <dt>{status}</dt>
            <dd className="count">{counts[status].toLocaleString()}</dd>
            <dd className="meaning">{MEANING[status]}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
