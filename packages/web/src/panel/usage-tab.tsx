import type { Run } from "@holdfast/protocol";
import type { ReactElement } from "react";
import { runName } from "../rewind/run-name.ts";
import type { SessionView } from "../session/session-view.ts";
import type { TranscriptStore } from "../transcript/transcript-store.ts";
import { durationText } from "../ui/time.ts";
import { Nothing } from "./nothing.tsx";
import { contextOf, moneyOf, tokensText, usageOf, usageText } from "./usage.ts";

/** The cost and the tokens of the session and of each run, and how full the context window is. */
export function UsageTab({
  view: { runs, hasAllRuns },
  transcript,
}: {
  readonly view: Pick<SessionView, "runs" | "hasAllRuns">;
  readonly transcript: TranscriptStore;
}): ReactElement {
  const total = usageOf(runs);
  const context = contextOf(runs);
  const started = runs.filter(({ startedAt }) => startedAt !== null).toReversed();
  if (started.length === 0)
    return <Nothing>{hasAllRuns ? "No runs yet." : "Loading the runs…"}</Nothing>;
  return (
    <div className="flex flex-col gap-5 tabular-nums">
      {total === null ? (
        <p className="text-muted">The agent does not report its usage.</p>
      ) : (
        <dl className="grid grid-cols-2 gap-3">
          <Fact name={hasAllRuns ? "Cost" : `Cost of the last ${runs.length} runs`}>
            {moneyOf(total) || "Not reported"}
          </Fact>
          <Fact name="Tokens">{tokensText(total.totalTokens)}</Fact>
          <Fact name="Input">{tokensText(total.inputTokens)}</Fact>
          <Fact name="Output">{tokensText(total.outputTokens)}</Fact>
        </dl>
      )}
      {context !== null && (
        <div className="flex flex-col gap-1">
          <p className="flex justify-between gap-2 text-xs">
            <span className="font-medium">Context used</span>
            <span className="text-muted">
              {tokensText(context.used)} of {tokensText(context.size)} (
              {Math.round(context.share * 100)} %)
            </span>
          </p>
          <progress
            aria-label="Context used"
            value={context.share}
            max={1}
            className="h-2 w-full appearance-none overflow-hidden rounded-full bg-sunken [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent"
          />
        </div>
      )}
      <section aria-labelledby="usage-runs" className="flex flex-col gap-2">
        <h3 id="usage-runs" className="text-xs font-semibold">
          Runs
        </h3>
        <ol className="flex flex-col gap-2">
          {started.map((run) => (
            <RunUsage key={run.id} run={run} name={runName(transcript, run.id)} />
          ))}
        </ol>
      </section>
      {total !== null && <p className="text-xs text-muted">Reported by agents.</p>}
    </div>
  );
}

function Fact({
  name,
  children,
}: {
  readonly name: string;
  readonly children: string;
}): ReactElement {
  return (
    <div>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="text-base font-semibold">{children}</dd>
    </div>
  );
}

function RunUsage({ run, name }: { readonly run: Run; readonly name: string }): ReactElement {
  const { startedAt, endedAt } = run;
  const usage = usageOf([run]);
  const took =
    startedAt === null || endedAt === null
      ? null
      : durationText(Date.parse(endedAt) - Date.parse(startedAt));
  const facts = [usage === null ? null : usageText(usage), took].filter((fact) => fact !== null);
  return (
    <li className="flex flex-col">
      <span className="truncate">{name}</span>
      <span className="text-xs text-muted">{facts.join(", ") || "Running"}</span>
    </li>
  );
}
