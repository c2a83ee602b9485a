import { errorText } from "@holdfast/client";
import type { Stats } from "@holdfast/protocol";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { ChartColumn, RefreshCw } from "lucide-react";
import { type ReactElement, useMemo } from "react";
import { providersQuery } from "../api/queries.ts";
import type { PageSearch } from "../app/place.ts";
import { usePageTitle } from "../app/page-title.ts";
import { goTo, usePlace } from "../app/router.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Empty, NotLoaded } from "../ui/empty.tsx";
import { type Breakdown, breakdownsOf } from "./breakdowns.ts";
import { ChartPanel } from "./chart-panel.tsx";
import { chartsOf } from "./charts.ts";
import { RangeChoice } from "./range-choice.tsx";
import { parseRange, type Range, toSearch, toStatsQuery } from "./range.ts";
import { client } from "../api/client.ts";
import { TableBehind } from "./data-table.tsx";
import { Panel } from "./panel.tsx";
import { costText, countText, rateText, timeText, tokensText } from "./value-text.ts";

const NOTHING: PageSearch = {};

export function AnalyticsPage(): ReactElement {
  usePageTitle("Analytics");
  const place = usePlace();
  const search = place?.page === "analytics" ? (place.search ?? NOTHING) : NOTHING;
  const range = useMemo(() => parseRange(search), [search]);
  const { data: read, error, isFetching, isPlaceholderData, refetch } = useQuery(statsQuery(range));
  // Empty figures of the previous period are no placeholder.
  const data = isPlaceholderData && read !== undefined && isEmpty(read) ? undefined : read;
  const choose = (next: Range): void =>
    goTo({ page: "analytics", search: toSearch(next) }, { replace: true });
  return (
    <main className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-5xl flex-col gap-4 px-3 py-4 pb-16 sm:px-6">
        <header className="flex items-center gap-3">
          <h1 className="text-base font-semibold">Analytics</h1>
          <span className="text-xs text-muted">Times are in UTC</span>
          <IconButton
            label="Refresh"
            className="ml-auto"
            busy={isFetching && data !== undefined}
            onClick={() => void refetch()}
          >
            <RefreshCw size={16} aria-hidden="true" />
          </IconButton>
        </header>
        <RangeChoice range={range} onChange={choose} />
        {data !== undefined && error !== null && (
          <p role="alert" className="text-danger">
            These figures are out of date. Refreshing failed: {errorText(error)}
          </p>
        )}
        {data !== undefined && (
          <div aria-busy={isPlaceholderData} className="flex flex-col gap-4">
            <StatsView stats={data} range={range} onChoose={choose} />
          </div>
        )}
        {data === undefined && (
          <NotLoaded name="figures" error={error} onRetry={() => void refetch()} />
        )}
      </div>
    </main>
  );
}

function StatsView({
  stats,
  range,
  onChoose,
}: {
  readonly stats: Stats;
  readonly range: Range;
  readonly onChoose: (range: Range) => void;
}): ReactElement {
  const providers = useQuery(providersQuery).data?.providers;
  const charts = useMemo(() => chartsOf(stats), [stats]);
  const breakdowns = useMemo(
    () => breakdownsOf(stats, new Map(providers?.map(({ name, title }) => [name, title]))),
    [stats, providers],
  );
  if (isEmpty(stats))
    return range.is === "all" ? (
      <Empty icon={<ChartColumn size={28} />} title="Nothing to count yet">
        Figures appear here after the first completed run.
      </Empty>
    ) : (
      <Empty
        icon={<ChartColumn size={28} />}
        title="No activity in this period"
        action={<Button onClick={() => onChoose({ is: "all" })}>Show all</Button>}
      />
    );
  return (
    <>
      <Figures stats={stats} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        {charts.map((chart) => (
          <ChartPanel key={chart.title} chart={chart} />
        ))}
      </div>
      {breakdowns.map((breakdown) => (
        <Bars key={breakdown.title} breakdown={breakdown} />
      ))}
    </>
  );
}

/** The key figures. */
function Figures({ stats }: { readonly stats: Stats }): ReactElement {
  const { total } = stats;
  const figures = [
    ["Sessions", countText(stats.sessions), "with activity"],
    ["Runs", countText(total.runs), "ended"],
    ["Success rate", rateText(stats.successRate), "of ended runs, completed"],
    ["Resume rate", rateText(stats.resumeRate), "resumed after an interruption"],
    ["Median time", timeText(total.durationMs?.median ?? null), "of a run, waiting included"],
    ["Errors", countText(total.errors), "of these sessions, at any time"],
    ["Tokens in", tokensText(total.inputTokens), "reported by agents"],
    ["Tokens out", tokensText(total.outputTokens), "reported by agents"],
    ["Cost", costText(total.cost), "reported by agents"],
  ] as const;
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-3">
      {figures.map(([name, value, meaning]) => (
        <div
          key={name}
          className="flex min-w-0 flex-col bg-surface px-3 py-2.5 max-sm:last:col-span-2"
        >
          <dt className="text-xs font-medium text-muted">{name}</dt>
          <dd className="text-xl font-semibold wrap-anywhere tabular-nums">{value}</dd>
          <dd className="text-xs text-muted">{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}

function isEmpty({ sessions, total }: Stats): boolean {
  return sessions === 0 && total.runs === 0;
}

/** Keeps the previous figures until the new ones are loaded. */
function statsQuery(range: Range) {
  return queryOptions({
    queryKey: ["stats", range] as const,
    queryFn: ({ signal }) => client.stats(toStatsQuery(range, Date.now()), { signal }),
    placeholderData: keepPreviousData,
  });
}

function Bars({ breakdown }: { readonly breakdown: Breakdown }): ReactElement {
  const { title, description, bars, columns, rows, emptyText } = breakdown;
  return (
    <Panel title={title} description={bars.length === 0 ? emptyText : description}>
      {bars.length > 0 && (
        <ul className="flex flex-col gap-2.5">
          {bars.map(({ name, share, text }, index) => (
            <li key={`${index} ${name}`} className="flex flex-col gap-1 text-xs">
              <span className="flex items-baseline justify-between gap-3">
                <span className="min-w-0 wrap-anywhere">{name}</span>
                <span className="shrink-0 text-muted tabular-nums">{text}</span>
              </span>
              <span aria-hidden="true" className="h-2 overflow-hidden rounded-sm bg-sunken">
                <span
                  className="block h-full min-w-px rounded-sm bg-accent"
                  style={{ width: `${share * 100}%` }}
                />
              </span>
            </li>
          ))}
        </ul>
      )}
      {rows.length > 0 && <TableBehind caption={title} columns={columns} rows={rows} />}
    </Panel>
  );
}
