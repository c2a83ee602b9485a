import { setTimeout as pause } from "node:timers/promises";
import type { Cluster } from "./cluster.ts";
import type { ClusterNode } from "./cluster-node.ts";
import { INVARIANTS, violationsIn, type Invariant, type Violation } from "./invariants.ts";
import { startSending, type Sender } from "./load.ts";
import { holdWritesBack } from "./late-write.ts";
import { settle } from "./settle.ts";
import { openWatcher, roundRobin, type Watcher } from "./watcher.ts";

export type FaultName =
  | "pause"
  | "kill"
  | "cut"
  | "blackhole"
  | "refuse"
  | "late write"
  | "restart"
  | "database restart";

export interface PlannedFault {
  readonly kind: FaultName;
  /** Null: one by chance. */
  readonly node: string | null;
}

export interface RoundOptions {
  /** In this order. */
  readonly faults: readonly PlannedFault[];
  /** From 0 up to 1, the same each time for the same seed. */
  readonly random: () => number;
  readonly sessions?: number;
  /** How fast agents speak. */
  readonly updatesPerSecond?: number;
  readonly onFault?: (fault: FaultName, node: string) => void;
}

export interface RoundResult {
  readonly violations: readonly Violation[];
  readonly broken: Readonly<Partial<Record<Invariant, number>>>;
  readonly acknowledged: number;
  readonly events: number;
  readonly reconnects: number;
  readonly runs: Readonly<Record<string, number>>;
  /** Prompts that were given while another agent of the session lived on a node that could not end it. */
  readonly excusedOverlaps: number;
  readonly slowestRequestMs: number;
  readonly settledMs: number;
}

/** A client that reconnects this often meets every moment at which it can miss something. */
const RESTLESS_MS = 500;

/** Sessions under load on all nodes, one fault after the other, then quiet, then the judgement. */
export async function runRound(cluster: Cluster, options: RoundOptions): Promise<RoundResult> {
  const { faults, random, sessions: count = 4, updatesPerSecond = 50 } = options;
  const { nodes, history } = cluster;
  const sessions = [];
  for (let index = 0; index < count; index += 1) {
    sessions.push(await cluster.createSession(nodeAt(nodes, index)));
  }
  const watchers: Watcher[] = [];
  const senders: Sender[] = [];
  for (const [index, { id, repo }] of sessions.entries()) {
    for (const [name, staysMs] of [
      ["steady", Infinity],
      ["restless", RESTLESS_MS],
    ] as const) {
      const choose = roundRobin(nodes, index + watchers.length);
      const client = `${repo} ${name}`;
      watchers.push(await openWatcher(history, { client, sessionId: id, choose, staysMs }));
    }
    senders.push(
      startSending(history, {
        sessionId: id,
        name: repo,
        choose: roundRobin(nodes, index),
        updatesPerSecond,
      }),
    );
  }
  for (const { kind, node: name } of faults) {
    await pause(200 + random() * 600);
    const chosen = nodeAt(nodes, Math.floor(random() * nodes.length));
    const node = name === null ? chosen : cluster.node(name);
    options.onFault?.(kind, node.name);
    if (kind === "late write") sessions.push(await holdWritesBack(cluster));
    else await commit(kind, { cluster, node, random });
  }
  await Promise.all(senders.map((sender) => sender.stop()));
  const { evidence, settledMs } = await settle(cluster, {
    sessions,
    watchers,
    by: nodeAt(nodes, 0),
  });
  const violations = violationsIn(evidence);
  const ours = new Set(sessions.map(({ id }) => id));
  const repos = new Set(sessions.map(({ repo }) => repo));
  const requests = history.requests.filter(({ sessionId }) => ours.has(sessionId));
  const views = history.views.filter(({ sessionId }) => ours.has(sessionId));
  const runs = evidence.stored.sessions.flatMap((session) => session.runs);
  return {
    violations,
    broken: Object.fromEntries(
      INVARIANTS.flatMap((name) => {
        const times = violations.filter(({ invariant }) => invariant === name).length;
        return times === 0 ? [] : [[name, times]];
      }),
    ),
    acknowledged: requests.filter(({ outcome }) => outcome.ok).length,
    events: views
      .flatMap(({ connections }) => connections)
      .reduce((sum, { events }) => sum + events.length, 0),
    reconnects: views.reduce((sum, { connections }) => sum + connections.length - 1, 0),
    runs: tally(runs.map(({ status }) => status)),
    excusedOverlaps: evidence.account.filter(
      ({ repo, others = [] }) => repos.has(repo) && others.length > 0,
    ).length,
    slowestRequestMs: Math.max(0, ...requests.map(({ sentAt, endedAt }) => endedAt - sentAt)),
    settledMs,
  };
}

async function commit(
  fault: Exclude<FaultName, "late write">,
  {
    cluster,
    node,
    random,
  }: { readonly cluster: Cluster; readonly node: ClusterNode; readonly random: () => number },
): Promise<void> {
  const { leaseMs } = cluster.history;
  switch (fault) {
    case "pause":
      node.pause();
      await pause(leaseMs * (1.2 + random() * 0.4));
      return node.resume();
    case "kill":
      await node.kill();
      await pause(leaseMs * random());
      return node.start();
    case "restart":
      await node.stop();
      return node.start();
    case "cut":
      node.cut();
      return pause(leaseMs * 0.2 * random());
    case "blackhole":
    case "refuse":
      node.breakLink({ mode: fault });
      await pause(leaseMs * (0.3 + random() * 1.3));
      return node.heal();
    case "database restart":
      return cluster.restartDatabase(leaseMs * random());
    default:
      return fault satisfies never;
  }
}

function nodeAt(nodes: readonly ClusterNode[], index: number): ClusterNode {
  const node = nodes[index % nodes.length];
  if (node === undefined) throw new Error("no nodes");
  return node;
}

function tally(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
