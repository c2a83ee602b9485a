import type { Stats } from "@holdfast/protocol";
import type { ReactElement } from "react";
import { costTexts, NONE, valueText } from "./value-text.ts";

/** The key figures. */
export function Figures({ stats }: { readonly stats: Stats }): ReactElement {
  const { total } = stats;
  const costs = costTexts(total.cost);
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-3">
      <Figure name="Sessions" says="with activity" value={count(stats.sessions)} />
      <Figure name="Runs" says="ended" value={count(total.runs)} />
      <Figure
        name="Success rate"
        says="of ended runs, completed"
        value={valueText(stats.successRate, { is: "rate" })}
      />
      <Figure
        name="Resume rate"
        says="resumed after an interruption"
        value={valueText(stats.resumeRate, { is: "rate" })}
      />
      <Figure
        name="Median time"
        says="of a run, waiting included"
        value={valueText(total.durationMs?.median ?? null, { is: "duration" })}
      />
      <Figure name="Errors" says="of these sessions, at any time" value={count(total.errors)} />
      <Figure
        name="Tokens in"
        says="reported by agents"
        value={valueText(total.inputTokens, { is: "tokens" })}
      />
      <Figure
        name="Tokens out"
        says="reported by agents"
        value={valueText(total.outputTokens, { is: "tokens" })}
      />
      <Figure
        name="Cost"
        says="reported by agents"
        value={costs.length === 0 ? NONE : costs.join(", ")}
      />
    </dl>
  );
}

function Figure({
  name,
  says,
  value,
}: {
  readonly name: string;
  readonly says: string;
  readonly value: string;
}): ReactElement {
  return (
    <div className="flex min-w-0 flex-col bg-surface px-3 py-2.5 max-sm:last:col-span-2">
      <dt className="text-xs font-medium text-muted">{name}</dt>
      <dd className="text-xl font-semibold wrap-anywhere tabular-nums">{value}</dd>
      <dd className="text-xs text-muted">{says}</dd>
    </div>
  );
}

function count(value: number): string {
  return valueText(value, { is: "count" });
}
