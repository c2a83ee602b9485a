import { z } from "zod";
import type { Histogram, Runtime } from "../../runtime/runtime.ts";
import type { App, AppServices } from "../app.ts";
import { readProblems } from "../problems/problem-responses.ts";
import { NO_HOST } from "./health-routes.ts";
import { problemFromError } from "../problems/problem-status.ts";
import type { RequestMetrics } from "../server/request-metrics.ts";

type Services = Pick<AppServices, "runtime" | "version" | "startedAt" | "agentHost"> & {
  readonly requests: RequestMetrics;
};

export type Metric = { readonly name: string; readonly help: string } & (
  | { readonly type: "gauge" | "counter"; readonly samples: readonly Sample[] }
  | { readonly type: "histogram"; readonly histograms: readonly LabelledHistogram[] }
);

type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

interface LabelledHistogram {
  readonly labels?: Labels;
  readonly histogram: Histogram;
}

const MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export function addMetricsRoute(app: App, services: Services): void {
  app.route({
    method: "GET",
    url: "/metrics",
    schema: {
      operationId: "getMetrics",
      summary: "Metrics for Prometheus",
      tags: ["server"],
      response: {
        200: {
          description: "Prometheus text format",
          content: {
            "text/plain": { schema: () => z.string() },
          },
        },
        ...readProblems(),
      },
    },
    handler: async (_request, reply) => {
      const metrics = [
        ...(await databaseMetrics(services.runtime)),
        ...hostMetrics(services),
        ...requestMetrics(services.requests),
        ...processMetrics(services),
      ];
      return reply.code(200).header("content-type", MEDIA_TYPE).send(toMetricsText(metrics));
    },
  });
}

/** While the database is unreachable, the metrics that need it are left out, so that the others can still be read. */
async function databaseMetrics(runtime: Runtime): Promise<readonly Metric[]> {
  const upMetric = (value: 0 | 1): Metric =>
    gauge("holdfast_database_up", "1 if the database replied, otherwise 0.", value);
  try {
    return [...(await runtimeMetrics(runtime)), upMetric(1)];
  } catch (error) {
    if (problemFromError(error).code !== "database_unavailable") throw error;
    return [upMetric(0)];
  }
}

async function runtimeMetrics(runtime: Runtime): Promise<readonly Metric[]> {
  const measured = await runtime.measure();
  const nodes = (await runtime.listNodes()).filter((node) => node.alive);
  const sessions = measured.sessions.map(({ status, state, count }) => ({
    labels: { status, state },
    value: count,
  }));
  const runsEnded = Object.entries(measured.runsEnded).map(([outcome, value]) => ({
    labels: { outcome },
    value,
  }));
  return [
    gauge("holdfast_sessions", "Sessions by status and state.", sessions),
    counter(
      "holdfast_runs_ended_total",
      "Runs ended since the server started, by outcome.",
      runsEnded,
    ),
    gauge(
      "holdfast_queued_messages",
      "Accepted messages that no agent has received yet.",
      measured.queuedMessages,
    ),
    gauge("holdfast_live_agents", "Live agent processes.", measured.liveAgents),
    gauge("holdfast_busy_agents", "Agents that are starting or working.", measured.busyAgents),
    gauge(
      "holdfast_live_agents_limit",
      "Maximum number of live agent processes.",
      measured.agentLimit,
    ),
    gauge(
      "holdfast_database_damage",
      "Damaged places of the database file that the last check found.",
      measured.damage,
    ),
    gauge("holdfast_event_readers", "Open event streams.", measured.feedReaders),
    counter(
      "holdfast_event_readers_dropped_total",
      "Event streams ended because their readers were too slow.",
      measured.feedReadersDropped,
    ),
    histogramsOf(
      "holdfast_event_lag_seconds",
      "Time from an agent's output to the event streams.",
      [{ histogram: measured.eventLag }],
    ),
    histogramsOf("holdfast_commit_duration_seconds", "Duration of a commit.", [
      { histogram: measured.commitLatency },
    ]),
    gauge("holdfast_nodes_alive", "Live nodes.", nodes.length),
    gauge(
      "holdfast_nodes_draining",
      "Live nodes that are draining.",
      nodes.filter(({ draining }) => draining).length,
    ),
  ];
}

function hostMetrics({ agentHost = () => NO_HOST }: Services): readonly Metric[] {
  const { pid, agents } = agentHost();
  return [
    gauge("holdfast_agent_host_up", "1 if the agent host runs, otherwise 0.", pid === null ? 0 : 1),
    gauge("holdfast_agent_host_agents", "Agents in the agent host.", agents),
  ];
}

function requestMetrics(requests: RequestMetrics): readonly Metric[] {
  const { counts, durations } = requests.read();
  return [
    counter(
      "holdfast_http_requests_total",
      "HTTP requests ended since the server started, by method, route and status.",
      counts,
    ),
    histogramsOf(
      "holdfast_http_request_duration_seconds",
      "Duration of HTTP requests by method and route, without event streams.",
      durations,
    ),
  ];
}

function processMetrics({
  version,
  startedAt,
}: Pick<Services, "version" | "startedAt">): readonly Metric[] {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const startedSeconds = startedAt.getTime() / 1000;
  return [
    gauge("holdfast_info", "Version of the server.", [{ labels: { version }, value: 1 }]),
    gauge("process_resident_memory_bytes", "Resident memory of the server process.", rss),
    gauge("nodejs_heap_size_used_bytes", "JavaScript heap in use.", heapUsed),
    counter("process_cpu_seconds_total", "CPU time used.", (user + system) / 1e6),
    gauge(
      "process_start_time_seconds",
      "Start time of the server, in seconds since 1970.",
      startedSeconds,
    ),
    gauge(
      "process_uptime_seconds",
      "Time since the server started.",
      Date.now() / 1000 - startedSeconds,
    ),
  ];
}

const gauge = metricsOf("gauge");
const counter = metricsOf("counter");

function metricsOf(type: "gauge" | "counter") {
  return (name: string, help: string, values: number | readonly Sample[]): Metric => {
    const samples = typeof values === "number" ? [{ value: values }] : values;
    return { name, help, type, samples };
  };
}

function histogramsOf(
  name: string,
  help: string,
  histograms: readonly LabelledHistogram[],
): Metric {
  return { name, help, type: "histogram", histograms };
}

/** Metrics in the text format of Prometheus, version 0.0.4. */
export function toMetricsText(metrics: readonly Metric[]): string {
  return metrics.map((metric) => `${toLines(metric).join("\n")}\n`).join("");
}

function toLines(metric: Metric): readonly string[] {
  const { name, help, type } = metric;
  const head = [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`];
  if (metric.type !== "histogram") {
    return [
      ...head,
      ...metric.samples.map(({ labels = {}, value }) => toLine(name, labels, value)),
    ];
  }
  return [...head, ...metric.histograms.flatMap((series) => toHistogramLines(name, series))];
}

function toHistogramLines(
  name: string,
  { labels = {}, histogram: { buckets, count, sum } }: LabelledHistogram,
): readonly string[] {
  const toBucket = (le: string, atMost: number): string =>
    toLine(`${name}_bucket`, { ...labels, le }, atMost);
  return [
    ...buckets
      .filter(({ le }) => le !== Number.POSITIVE_INFINITY)
      .map((bucket) => toBucket(toNumber(bucket.le), bucket.count)),
    toBucket("+Inf", count),
    toLine(`${name}_sum`, labels, sum),
    toLine(`${name}_count`, labels, count),
  ];
}

function toLine(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escapeLabel(text)}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${toNumber(value)}`;
}

function toNumber(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? "+Inf" : "-Inf";
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", String.raw`\\`).replaceAll("\n", String.raw`\n`);
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', String.raw`\"`);
}
