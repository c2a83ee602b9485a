import { z } from "zod";
import type { NodeView } from "../../runtime/cluster/node-view.ts";
import type { Measurements } from "../../runtime/runtime.ts";
import type { App, AppServices } from "../app.ts";
import { toMetricsText, type Metric } from "./metrics-text.ts";
import { readProblems } from "../problems/problem-responses.ts";

const MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export function addMetricsRoute(
  app: App,
  { runtime, version, startedAt }: Pick<AppServices, "runtime" | "version" | "startedAt">,
): void {
  app.route({
    method: "GET",
    url: "/metrics",
    schema: {
      operationId: "getMetrics",
      summary: "Figures for Prometheus",
      tags: ["server"],
      response: {
        200: {
          description: "Prometheus text format",
          content: {
            "text/plain": { schema: z.string() },
          },
        },
        ...readProblems(),
      },
    },
    handler: async (_request, reply) => {
      const metrics = [
        ...ofSessions(await runtime.measure()),
        ...ofNodes(await runtime.listNodes()),
        ...ofProcess({ version, startedAt }),
      ];
      return reply.code(200).header("content-type", MEDIA_TYPE).send(toMetricsText(metrics));
    },
  });
}

function ofSessions(measured: Measurements): readonly Metric[] {
  return [
    {
      name: "holdfast_sessions",
      help: "Sessions by status and state.",
      type: "gauge",
      samples: measured.sessions.map(({ status, state, count }) => ({
        labels: { status, state },
        value: count,
      })),
    },
    {
      name: "holdfast_runs_ended_total",
      help: "Runs ended since the server started, by outcome.",
      type: "counter",
      samples: Object.entries(measured.runsEnded).map(([outcome, value]) => ({
        labels: { outcome },
        value,
      })),
    },
    gauge(
      "holdfast_queued_messages",
      "Messages accepted and not yet given to an agent.",
      measured.queuedMessages,
    ),
    gauge("holdfast_live_agents", "Agent processes alive.", measured.liveAgents),
    gauge("holdfast_busy_agents", "Agents starting or at work.", measured.busyAgents),
    gauge(
      "holdfast_live_agents_limit",
      "Agent processes that may be alive at once.",
      measured.agentLimit,
    ),
    gauge("holdfast_event_readers", "Open event streams.", measured.feedReaders),
    {
      name: "holdfast_event_readers_dropped_total",
      help: "Event streams ended because their readers were too slow.",
      type: "counter",
      samples: [{ value: measured.feedReadersDropped }],
    },
    {
      name: "holdfast_event_lag_seconds",
      help: "From what an agent says to the event streams.",
      type: "histogram",
      histogram: measured.eventLag,
    },
    {
      name: "holdfast_commit_duration_seconds",
      help: "How long a commit takes.",
      type: "histogram",
      histogram: measured.commitLatency,
    },
  ];
}

function ofNodes(nodes: readonly NodeView[]): readonly Metric[] {
  const alive = nodes.filter((node) => node.alive);
  return [
    gauge("holdfast_nodes_alive", "Servers alive that share the database.", alive.length),
    gauge(
      "holdfast_nodes_draining",
      "Those of them that are to take no more work.",
      alive.filter(({ draining }) => draining).length,
    ),
  ];
}

function ofProcess({
  version,
  startedAt,
}: {
  version: string;
  startedAt: Date;
}): readonly Metric[] {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const startedSeconds = startedAt.getTime() / 1000;
  return [
    {
      name: "holdfast_info",
      help: "The version that runs.",
      type: "gauge",
      samples: [{ labels: { version }, value: 1 }],
    },
    gauge("process_resident_memory_bytes", "Memory of the server's process.", rss),
    gauge("nodejs_heap_size_used_bytes", "Heap used by JavaScript.", heapUsed),
    {
      name: "process_cpu_seconds_total",
      help: "Processor time spent.",
      type: "counter",
      samples: [{ value: (user + system) / 1e6 }],
    },
    gauge("process_start_time_seconds", "When the server started, since 1970.", startedSeconds),
    gauge(
      "process_uptime_seconds",
      "How long the server has been running.",
      Date.now() / 1000 - startedSeconds,
    ),
  ];
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, help, type: "gauge", samples: [{ value }] };
}
