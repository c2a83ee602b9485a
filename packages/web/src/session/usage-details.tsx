import type { ReactElement } from "react";
import { durationText } from "../ui/time.ts";
import type { SessionView } from "./session-view.ts";
import { contextShare, usageOf, usageText } from "./usage.ts";

/** The usage of the last run and of all known runs. */
export function UsageDetails({ view }: { readonly view: SessionView }): ReactElement {
  const { runs, hasAllRuns } = view;
  const last = runs.findLast(({ usage }) => usage !== null);
  const ofLast = last === undefined ? null : usageOf([last]);
  const ofAll = usageOf(runs);
  const share = contextShare(last);
  const tookMs =
    last === undefined || last.startedAt === null || last.endedAt === null
      ? null
      : Date.parse(last.endedAt) - Date.parse(last.startedAt);
  return (
    <>
      <dl className="grid grid-cols-[1fr_auto] gap-x-6 gap-y-2 tabular-nums">
        <dt>Last run</dt>
        <dd className="text-right">{ofLast === null ? "" : usageText(ofLast)}</dd>
        {tookMs !== null && (
          <>
            <dt className="text-muted">Took</dt>
            <dd className="text-right text-muted">{durationText(tookMs)}</dd>
          </>
        )}
        {share !== null && (
          <>
            <dt className="text-muted">Context window used</dt>
            <dd className="text-right text-muted">{Math.round(share * 100)} %</dd>
          </>
        )}
        <dt>{hasAllRuns ? "All runs" : `Last ${runs.length} runs`}</dt>
        <dd className="text-right">{ofAll === null ? "" : usageText(ofAll)}</dd>
      </dl>
      <p className="mt-3 text-xs text-muted">Reported by the agents.</p>
    </>
  );
}
