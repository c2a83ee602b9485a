import { get, type IncomingMessage } from "node:http";
import { createClient } from "../packages/client/src/index.ts";
import { flood, script, stamp } from "../packages/server/src/providers/testing/script.ts";
import { measureAppends, type AppendRate } from "./cluster-appends.ts";
import {
  openBenchCluster,
  untilEnded,
  type BenchCluster,
  type BenchNode,
  type WarmSession,
} from "./cluster-nodes.ts";
import { figuresOf, type Figures } from "./measure.ts";
import type { Row } from "./report.ts";
import { BEARER, SERVER_TOKEN } from "../packages/server/src/http/testing/server-token.ts";

export interface ClusterFigures {
  readonly rows: readonly Row[];
  readonly rates: readonly AppendRate[];
}

const PER_SECOND = 50;
const STARTS = 60;
const LEASE_MS = 10_000;

/** Measures the cost if a client, an agent and the sender are on different nodes. */
export async function benchCluster({
  seconds,
  takeovers,
}: {
  readonly seconds: number;
  readonly takeovers: number;
}): Promise<ClusterFigures> {
  const cluster = await openBenchCluster(3);
  try {
    const session = await cluster.warmSession();
    const sameNode = await stampedStream(session, { node: session.local, seconds });
    const otherNode = await stampedStream(session, { node: session.remote, seconds });
    const starts = await startRuns(session);
    const takeover = await takeOver(cluster, takeovers);
    for (const { kill } of cluster.nodes) await kill();
    const rates = await measureAppends(cluster.databaseUrl, { seconds });
    const eventCpuMs = rates.map(
      ({ nodeCpuUs, databaseCpuUs }) => (nodeCpuUs + databaseCpuUs) / 1e3,
    );
    return {
      rows: [
        row("agent's write to a client of the same node, 50/s", sameNode, null),
        row("agent's write to a client of another node, 50/s, median", otherNode, {
          of: "p50Ms",
          belowMs: 10,
        }),
        row("agent's write to a client of another node, 50/s", otherNode, {
          of: "p99Ms",
          belowMs: 50,
        }),
        row("request to the agent's first word, same node", starts.local, null),
        row("request to the agent's first word, other node", starts.remote, {
          of: "p50Ms",
          belowMs: Math.round(starts.local.p50Ms + 15),
        }),
        row("kill -9 of the owner to the run's end on another node", takeover, {
          of: "p99Ms",
          belowMs: 2 * LEASE_MS,
        }),
        row("CPU of node and database for an appended event", figuresOf(eventCpuMs), {
          of: "p50Ms",
          belowMs: 0.8,
        }),
      ],
      rates,
    };
  } finally {
    await cluster.close();
  }
}

export function printRates(rates: readonly AppendRate[]): string {
  const lines = rates.map(
    ({ nodes, perSecond, nodeCpuUs, databaseCpuUs }) =>
      `${nodes} ${nodes === 1 ? "node " : "nodes"}  ${Math.round(perSecond).toLocaleString("en").padStart(7)} appended events/s, each ${nodeCpuUs.toFixed(0)} µs of CPU time of a node and ${databaseCpuUs.toFixed(0)} µs of the database`,
  );
  return lines.join("\n");
}

function row(name: string, holdfast: Figures, goal: Row["goal"]): Row {
  return { name, holdfast, raw: null, goal };
}

async function stampedStream(
  { id }: WarmSession,
  { node, seconds }: { readonly node: BenchNode; readonly seconds: number },
): Promise<Figures> {
  const { lastEventId } = await node.client.sessions.get(id);
  const count = PER_SECOND * seconds;
  const stream = await openStream(`${node.url}/api/sessions/${id}/events?after=${lastEventId}`);
  const times: number[] = [];
  const reading = readStamps(stream, (nanoseconds, now) => {
    times.push(Number(now - nanoseconds) / 1e6);
    return times.length < count;
  });
  const text = script(stamp(count, 1_000 / PER_SECOND));
  const { run } = await node.client.sessions.send(id, { text });
  await reading;
  await untilEnded(node.client, { id, runId: run.id });
  return figuresOf(times);
}

/** Time from just before the request until the agent writes, by the clock that all processes share. */
async function startRuns(session: WarmSession): Promise<{ local: Figures; remote: Figures }> {
  const { id, local, remote } = session;
  const times = { local: [] as number[], remote: [] as number[] };
  for (let index = 0; index < STARTS; index += 1) {
    const node = index % 2 === 0 ? "local" : "remote";
    const { client } = node === "local" ? local : remote;
    const { lastEventId: after } = await local.client.sessions.get(id);
    const before = process.hrtime.bigint();
    const { run } = await client.sessions.send(id, { text: script(stamp(1, 0)) });
    const answer = await untilEnded(local.client, { id, runId: run.id, after });
    const wroteAt = BigInt(/\d+:(\d{9,})/u.exec(answer)?.[1] ?? 0);
    times[node].push(Number(wroteAt - before) / 1e6);
  }
  return { local: figuresOf(times.local), remote: figuresOf(times.remote) };
}

async function takeOver(cluster: BenchCluster, count: number): Promise<Figures> {
  const times: number[] = [];
  for (let round = 0; round < count; round += 1) {
    const { id, local, remote } = await cluster.warmSession();
    const text = script(flood({ perSecond: 20, seconds: 120, text: "word " }));
    const { run } = await remote.client.sessions.send(id, { text });
    await untilStreaming(remote, { id, runId: run.id });
    const before = performance.now();
    await local.kill();
    await untilEnded(remote.client, { id, runId: run.id });
    times.push(performance.now() - before);
    await local.start();
  }
  return figuresOf(times);
}

async function untilStreaming(
  { url }: BenchNode,
  { id, runId }: { readonly id: string; readonly runId: string },
): Promise<void> {
  let isRunning = false;
  for await (const event of createClient({ url, token: SERVER_TOKEN }).sessions.events(id)) {
    isRunning ||=
      event.type === "run" && event.data.id === runId && event.data.status === "running";
    if (isRunning && event.type === "delta") return;
  }
}

async function readStamps(
  stream: IncomingMessage,
  take: (nanoseconds: bigint, now: bigint) => boolean,
): Promise<void> {
  let rest = "";
  for await (const chunk of stream) {
    const now = process.hrtime.bigint();
    const events = (rest + String(chunk)).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      // The complete message repeats its pieces.
      if (!/^event: (delta|message)$/mu.test(event) || event.includes('"complete":true')) continue;
      for (const [, , nanoseconds] of event.matchAll(/(\d+):(\d{9,}) /gu)) {
        if (!take(BigInt(nanoseconds ?? 0), now)) return void stream.destroy();
      }
    }
  }
}

function openStream(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers: BEARER }, resolve).once("error", reject);
  });
}
