import { setTimeout as pause } from "node:timers/promises";
import { eventually, type Cluster } from "./cluster.ts";
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
  /** Null means a random node. */
  readonly node: string | null;
}

export interface RoundOptions {
  /** Injected in this order. */
  readonly faults: readonly PlannedFault[];
  /** Returns numbers from 0 to 1, reproducible by their seed. */
  readonly random: () => number;
  readonly sessions?: number;
  /** Output rate of the agents. */
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
  /** Prompts sent while another agent of the session was alive on a node that could not stop it. */
  readonly excusedOverlaps: number;
  readonly slowestRequestMs: number;
  readonly settledMs: number;
}

/** A client that reconnects this often reaches every moment at which it could miss an event. */
const RESTLESS_MS = 500;
const ENOUGH_WITHIN_MS = 60_000;

/** Loads sessions on all nodes, injects one fault after another, waits until all settle, and checks the invariants. */
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
    else await inject(kind, { cluster, node, random });
  }
  // Each fault interrupts at most one run of each session. Most runs must be completed, however slow the machine is.
  const enough = 2 * faults.length * sessions.length + 1;
  await eventually(() => senders.reduce((sum, sender) => sum + sender.count, 0) >= enough, {
    withinMs: ENOUGH_WITHIN_MS,
    what: `${enough} messages are acknowledged`,
  });
  await Promise.all(senders.map((sender) => sender.stop()));
  const { evidence, settledMs } = await settle(cluster, {
    sessions,
    watchers,
    by: nodeAt(nodes, 0),
  });
  const violations = violationsIn(evidence);
  const ids = new Set(sessions.map(({ id }) => id));
  const repos = new Set(sessions.map(({ repo }) => repo));
  const requests = history.requests.filter(({ sessionId }) => ids.has(sessionId));
  const views = history.views.filter(({ sessionId }) => ids.has(sessionId));
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

async function inject(
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
