import { type ReactElement, useState } from "react";
import { ErrorBoundary } from "../app/error-boundary.tsx";
import { classNames } from "../ui/class-names.ts";
import { loaded } from "../ui/loaded.tsx";
import { type Chart, isEmptyChart, rowsOf, type Tone } from "./charts.ts";
import { TableBehind } from "./data-table.tsx";
import { Panel } from "./panel.tsx";
import { bucketText, valueText } from "./value-text.ts";

const Plot = loaded(() => import("./plot.tsx").then((m) => m.Plot), <div className="h-44" />);

const SWATCHES = {
  accent: "bg-accent",
  ok: "bg-ok",
  warn: "bg-warn",
  danger: "bg-danger",
  "line-strong": "bg-line-strong",
} as const satisfies Record<Tone, string>;

/** A chart with its legend and its table. */
export function ChartPanel({ chart }: { readonly chart: Chart }): ReactElement {
  const { title, unit, bucketMs, starts, series, emptyText } = chart;
  const [pointed, setPointed] = useState<number | null>(null);
  if (isEmptyChart(chart)) return <Panel title={title} description={emptyText} />;
  const startMs = pointed === null ? undefined : starts[pointed];
  return (
    <Panel title={title} aside={startMs === undefined ? "Total" : bucketText(startMs, bucketMs)}>
      <Legend chart={chart} pointed={pointed} />
      <ErrorBoundary
        fallback={() => (
          <p className="text-xs text-muted">The chart could not be drawn. Its table is below.</p>
        )}
      >
        <Plot chart={chart} onPoint={setPointed} />
      </ErrorBoundary>
      <TableBehind
        caption={`${title} over time, without empty periods`}
        columns={["Time (UTC)", ...series.map(({ name }) => name)]}
        rows={rowsOf(chart).map(({ startMs, values }) => [
          bucketText(startMs, bucketMs),
          ...values.map((value) => valueText(value, unit)),
        ])}
      />
    </Panel>
  );
}

/** Shows the values of the hovered bucket, or the totals. */
function Legend({
  chart: { series, unit },
  pointed,
}: {
  readonly chart: Chart;
  readonly pointed: number | null;
}): ReactElement {
  return (
    <ul className="flex flex-wrap gap-x-3 gap-y-0.5 text-xs">
      {series.map(({ name, tone, values, total }) => (
        <li key={name} className="inline-flex items-center gap-1.5">
          <span aria-hidden="true" className={classNames("size-2.5 rounded-xs", SWATCHES[tone])} />
          {name}
          <span className="font-medium tabular-nums">
            {valueText(pointed === null ? total : (values[pointed] ?? null), unit)}
          </span>
        </li>
      ))}
    </ul>
  );
}
