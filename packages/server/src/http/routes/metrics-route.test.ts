import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { toMetricsText } from "./metrics-route.ts";
import { MEASURED, nodeView } from "../testing/samples.ts";
import { testApp } from "../testing/test-app.ts";

describe("metrics", () => {
  it("are in the Prometheus format: sessions, runs, agents, readers, delays and the process", async () => {
    const nodes = [
      nodeView(),
      nodeView({ draining: true }),
      nodeView({ alive: false, draining: true }),
    ];
    const app = await testApp({
      runtime: { measure: async () => MEASURED, listNodes: async () => nodes },
      agentHost: () => ({ mode: "outside", pid: 4711, agents: 2 }),
    });
    const reply = await app.inject("/metrics");
    expect(reply.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    const ours = reply.body.slice(0, reply.body.indexOf("# HELP process_resident_memory_bytes"));
    expect(ours).toBe(`# HELP holdfast_sessions Sessions by status and state.
# TYPE holdfast_sessions gauge
holdfast_sessions{status="active",state="idle"} 3
holdfast_sessions{status="active",state="running"} 2
# HELP holdfast_runs_ended_total Runs ended since the server started, by outcome.
# TYPE holdfast_runs_ended_total counter
holdfast_runs_ended_total{outcome="completed"} 5
holdfast_runs_ended_total{outcome="failed"} 1
holdfast_runs_ended_total{outcome="cancelled"} 0
holdfast_runs_ended_total{outcome="interrupted"} 0
# HELP holdfast_queued_messages Accepted messages that no agent has received yet.
# TYPE holdfast_queued_messages gauge
holdfast_queued_messages 4
# HELP holdfast_live_agents Live agent processes.
# TYPE holdfast_live_agents gauge
holdfast_live_agents 2
# HELP holdfast_busy_agents Agents that are starting or working.
# TYPE holdfast_busy_agents gauge
holdfast_busy_agents 1
# HELP holdfast_live_agents_limit Maximum number of live agent processes.
# TYPE holdfast_live_agents_limit gauge
holdfast_live_agents_limit 5
# HELP holdfast_database_damage Damaged places of the database file that the last check found.
# TYPE holdfast_database_damage gauge
holdfast_database_damage 0
# HELP holdfast_event_readers Open event streams.
# TYPE holdfast_event_readers gauge
holdfast_event_readers 7
# HELP holdfast_event_readers_dropped_total Event streams ended because their readers were too slow.
# TYPE holdfast_event_readers_dropped_total counter
holdfast_event_readers_dropped_total 1
# HELP holdfast_event_lag_seconds Time from an agent's output to the event streams.
# TYPE holdfast_event_lag_seconds histogram
holdfast_event_lag_seconds_bucket{le="0.01"} 2
holdfast_event_lag_seconds_bucket{le="+Inf"} 3
holdfast_event_lag_seconds_sum 0.5
holdfast_event_lag_seconds_count 3
# HELP holdfast_commit_duration_seconds Duration of a commit.
# TYPE holdfast_commit_duration_seconds histogram
holdfast_commit_duration_seconds_bucket{le="+Inf"} 0
holdfast_commit_duration_seconds_sum 0
holdfast_commit_duration_seconds_count 0
# HELP holdfast_nodes_alive Live nodes.
# TYPE holdfast_nodes_alive gauge
holdfast_nodes_alive 2
# HELP holdfast_nodes_draining Live nodes that are draining.
# TYPE holdfast_nodes_draining gauge
holdfast_nodes_draining 1
# HELP holdfast_database_up 1 if the database replied, otherwise 0.
# TYPE holdfast_database_up gauge
holdfast_database_up 1
# HELP holdfast_agent_host_up 1 if the agent host runs, otherwise 0.
# TYPE holdfast_agent_host_up gauge
holdfast_agent_host_up 1
# HELP holdfast_agent_host_agents Agents in the agent host.
# TYPE holdfast_agent_host_agents gauge
holdfast_agent_host_agents 2
# HELP holdfast_http_requests_total HTTP requests ended since the server started, by method, route and status.
# TYPE holdfast_http_requests_total counter
# HELP holdfast_http_request_duration_seconds Duration of HTTP requests by method and route, without event streams.
# TYPE holdfast_http_request_duration_seconds histogram
# HELP holdfast_info Version of the server.
# TYPE holdfast_info gauge
holdfast_info{version="1.2.3"} 1
`);
    const rest = reply.body.slice(ours.length);
    expect(rest).toMatch(/^process_resident_memory_bytes \d{7,}$/mu);
    expect(rest).toMatch(/^process_start_time_seconds 1767323045.678$/mu);
    expect(reply.body.endsWith("\n")).toBe(true);
    for (const line of reply.body.trimEnd().split("\n")) {
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)+\})? -?[\d.e+-]+)$/u);
    }
  });

  it("are all in the documentation, with type and labels, and it lists no others", async () => {
    const app = await testApp({
      runtime: { measure: async () => MEASURED, listNodes: async () => [] },
    });
    await app.inject("/healthz");
    const { body } = await app.inject("/metrics");
    const page = readFileSync(
      path.resolve(import.meta.dirname, "../../../../../docs/metrics.md"),
      "utf8",
    );
    const rows = [...page.matchAll(/^\| `(\w+)` +\| (\w+) +\| ([^|]*)\|/gmu)];
    const documented = rows.map(([, name, type, labels = ""]) => ({
      name,
      type,
      labels: labels.replaceAll("`", "").trim(),
    }));
    const served = [...body.matchAll(/^# TYPE (\w+) (\w+)$/gmu)].map(([, name = "", type]) => ({
      name,
      type,
      labels: labelsOf(body, name),
    }));
    expect(documented).toHaveLength(served.length);
    expect(documented).toEqual(expect.arrayContaining(served));
  });

  it("are served without those of the database while it is unreachable", async () => {
    const unreachable = Object.assign(new Error("away"), { code: "database_unavailable" });
    const app = await testApp({ runtime: { measure: () => Promise.reject(unreachable) } });
    await app.inject("/healthz");
    const { statusCode, body } = await app.inject("/metrics");
    expect(statusCode).toBe(200);
    expect(body).toContain("\nholdfast_database_up 0\n");
    expect(body).toContain("# TYPE holdfast_http_requests_total counter\n");
    expect(body).not.toContain("holdfast_sessions");
  });

  it("are escaped", () => {
    const labels = { name: 'a"b\\c\nd' };
    const text = toMetricsText([
      { name: "m", help: "one\\two\nthree", type: "gauge", samples: [{ labels, value: Infinity }] },
    ]);
    expect(text).toBe(
      String.raw`# HELP m one\\two\nthree` +
        "\n# TYPE m gauge\n" +
        String.raw`m{name="a\"b\\c\nd"} +Inf` +
        "\n",
    );
  });
});

/** The names of the labels in the samples of a metric. */
function labelsOf(body: string, name: string): string {
  const sample = new RegExp(`^${name}(?:_bucket)?\\{(.*)\\} `, "mu").exec(body)?.[1] ?? "";
  const names = [...sample.matchAll(/(\w+)="/gu)].map(([, label]) => label);
  return names.filter((label) => label !== "le").join(", ");
}
