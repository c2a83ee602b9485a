import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { calmNow } from "../../packages/server/src/domain/testing/calm-clock.ts";
import { ask, flood, say, script } from "../../packages/server/src/providers/testing/script.ts";
import { Cluster, eventually } from "./cluster.ts";
import type { ClusterNode } from "./cluster-node.ts";
import { violationsIn, type Violation } from "./invariants.ts";
import { sendUntilAcknowledged, type SentMessage } from "./load.ts";
import { settle } from "./settle.ts";
import { openWatcher, type Watcher } from "./watcher.ts";

/** The default. On a busy machine, nodes would lose a much shorter one without a fault. */
const LEASE_MS = 10_000;
const TAKEN_OVER_MS = 2 * LEASE_MS;
const READY_WITHIN_MS = 10_000;
/** For events without a promised time. */
const SOON_MS = 30_000;
const AGENTS_EXIT_MS = 5_000;
const LONG = script(say("started. "), flood({ perSecond: 20, seconds: 600, text: "word " }));

let cluster: Cluster;
let a: ClusterNode;
let b: ClusterNode;
let c: ClusterNode;

beforeAll(async () => {
  cluster = await Cluster.open({ leaseMs: LEASE_MS });
  [a, b, c] = ["a", "b", "c"].map((name) => cluster.node(name)) as [
    ClusterNode,
    ClusterNode,
    ClusterNode,
  ];
});
afterEach(async () => {
  for (const node of cluster.nodes) {
    node.resume();
    node.heal();
    if (!node.isUp) await node.start();
  }
});
afterAll(async () => {
  await cluster.close();
});

interface Conversation {
  readonly id: string;
  readonly repo: string;
  readonly watchers: readonly Watcher[];
  send(node: ClusterNode, text: string): Promise<SentMessage & { readonly tag: string }>;
}

/** Creates a session with one client on each of these nodes. */
async function converse(
  by: ClusterNode,
  ...watching: readonly ClusterNode[]
): Promise<Conversation> {
  const { id, repo } = await cluster.createSession(by);
  const { history } = cluster;
  const watchers: Watcher[] = [];
  for (const node of watching) {
    watchers.push(
      await openWatcher(history, { client: node.name, sessionId: id, choose: () => node }),
    );
  }
  let count = 0;
  return {
    id,
    repo,
    watchers,
    send: async (node, text) => {
      count += 1;
      const tag = `${repo}/${count}`;
      const choose = (): ClusterNode => node;
      const sent = await sendUntilAcknowledged(history, { sessionId: id, tag, text, choose });
      if (sent === null) throw new Error("unreachable: sending is never stopped");
      return { ...sent, tag };
    },
  };
}

function others(node: ClusterNode): readonly [ClusterNode, ClusterNode] {
  const [first, second] = cluster.nodes.filter((other) => other !== node);
  if (first === undefined || second === undefined) throw new Error("three nodes are needed");
  return [first, second];
}

/** The last status of a run that a client received. */
function lastStatus({ view }: Watcher, runId: string): string | null {
  const runs = view.connections.flatMap(({ events }) =>
    events.flatMap(({ event }) =>
      event.type === "run" && event.data.id === runId ? [event.data.status] : [],
    ),
  );
  return runs.at(-1) ?? null;
}

async function sees(
  watcher: Watcher,
  what: { readonly runId: string; readonly status: string; readonly withinMs: number },
): Promise<void> {
  await eventually(() => lastStatus(watcher, what.runId) === what.status, {
    withinMs: what.withinMs,
    what: `client of ${watcher.view.client} sees run ${what.status}; it saw ${lastStatus(watcher, what.runId)}`,
  });
}

async function streams(watcher: Watcher): Promise<void> {
  await eventually(
    () =>
      watcher.view.session.messages.some(
        // The user's message contains this word, too.
        ({ role, content }) => role === "agent" && /word/u.test(String(content["text"])),
      ),
    { withinMs: SOON_MS, what: "the answer streams" },
  );
}

async function checkInvariants(
  ...conversations: readonly Conversation[]
): Promise<readonly Violation[]> {
  const ids = new Set(conversations.map(({ id }) => id));
  const { evidence } = await settle(cluster, {
    sessions: conversations,
    watchers: conversations.flatMap(({ watchers }) => watchers),
    by: a,
  });
  return violationsIn(evidence).filter(({ sessionId }) => sessionId === null || ids.has(sessionId));
}

async function agentsOf({ repo }: Conversation): Promise<readonly number[]> {
  const alive = new Set(cluster.agents());
  const born = cluster.account().filter((each) => each.repo === repo && each.event === "born");
  return born.map(({ pid }) => pid).filter((pid) => alive.has(pid));
}

async function ready(node: ClusterNode, withinMs = READY_WITHIN_MS): Promise<void> {
  await eventually(
    async () => (await node.client.readiness().catch(() => null))?.status === "ready",
    { withinMs, what: `node ${node.name} is ready` },
  );
}

describe("three nodes on one database", () => {
  it("accept every request on any node: create, send, watch, answer, cancel (P4, P7)", async () => {
    const session = await converse(a, c, b);
    const [onC] = session.watchers as [Watcher];
    const prompt = await session.send(b, script(ask({ id: "t1", title: "Deploy" }), say(" done")));
    const suspension = await eventually(() => onC.view.session.suspension, {
      withinMs: SOON_MS,
      what: "c shows the question",
    });
    await a.client.sessions.answer(session.id, { suspensionId: suspension.id, answer: "allow" });
    await sees(onC, { runId: prompt.runId, status: "completed", withinMs: SOON_MS });
    await eventually(
      () =>
        String(onC.view.session.messages.at(-1)?.content["text"]).includes("answer: allow done"),
      { withinMs: SOON_MS, what: "c shows the result of the answer" },
    );

    const long = await session.send(c, LONG);
    await streams(onC);
    await b.client.sessions.cancel(session.id);
    await sees(onC, { runId: long.runId, status: "cancelled", withinMs: SOON_MS });
    await eventually(
      () => cluster.account().find(({ event, tag }) => event === "done" && tag === long.tag),
      { withinMs: SOON_MS, what: "the agent learns that it was cancelled" },
    );
    expect(await checkInvariants(session)).toEqual([]);
  });

  it("show the same list, inbox and session on each node", async () => {
    const session = await converse(b);
    await session.send(a, script(ask({ id: "t1", title: "Deploy" })));
    const inbox = await eventually(
      async () => {
        const { suspensions } = await c.client.suspensions();
        return suspensions.find(({ sessionId }) => sessionId === session.id);
      },
      { withinMs: SOON_MS, what: "the question is in the inbox of c" },
    );
    for (const node of cluster.nodes) {
      expect((await node.client.suspensions()).suspensions).toContainEqual(inbox);
    }
    await b.client.sessions.cancel(session.id);
    expect(await checkInvariants(session)).toEqual([]);
  });
});

describe("a node that is killed in the middle of an answer", () => {
  it("is replaced by another within two leases: the run is interrupted, and the session continues (P1, P2, P3, P4, P5)", async () => {
    const session = await converse(a, a, b, c);
    const { runId, tag } = await session.send(b, LONG);
    const owner = await cluster.runnerOf(tag);
    const [other, another] = others(owner);
    const onOther = session.watchers.find(({ view }) => view.client === other.name) as Watcher;
    await streams(onOther);
    await owner.kill();
    await sees(onOther, { runId, status: "interrupted", withinMs: TAKEN_OVER_MS });
    await eventually(async () => (await agentsOf(session)).length === 0, {
      withinMs: AGENTS_EXIT_MS,
      what: "its agent has exited",
    });
    const next = await session.send(another, script(say("on another node")));
    await sees(onOther, { runId: next.runId, status: "completed", withinMs: SOON_MS });
    await owner.start();
    expect(await checkInvariants(session)).toEqual([]);
  });
});

describe("a node that is paused for longer than its lease", () => {
  it("writes nothing when it continues, and stops its agents (P2, P3, P5)", async () => {
    const session = await converse(a, a, b, c);
    const { runId, tag } = await session.send(a, LONG);
    const owner = await cluster.runnerOf(tag);
    const [other] = others(owner);
    const onOther = session.watchers.find(({ view }) => view.client === other.name) as Watcher;
    await streams(onOther);
    owner.pause();
    await sees(onOther, { runId, status: "interrupted", withinMs: TAKEN_OVER_MS });
    const next = await session.send(other, script(say("meanwhile")));
    await sees(onOther, { runId: next.runId, status: "completed", withinMs: SOON_MS });
    const old = await agentsOf(session);
    owner.resume();
    const successor = await cluster.runnerOf(next.tag);
    const successorAgents = cluster
      .account()
      .filter(({ repo, node }) => repo === session.repo && node === successor.name)
      .map(({ pid }) => pid);
    await eventually(
      async () =>
        (await agentsOf(session)).every(
          (pid) => successorAgents.includes(pid) || !old.includes(pid),
        ),
      { withinMs: AGENTS_EXIT_MS, what: "the old agents have exited" },
    );
    await ready(owner);
    const last = await session.send(owner, script(say("again")));
    await sees(onOther, { runId: last.runId, status: "completed", withinMs: SOON_MS });
    expect(await checkInvariants(session)).toEqual([]);
  });
});

describe("a node whose connection to the database", () => {
  it("is reset recovers by itself, and nothing is lost or stuck (P1, P3, P4)", async () => {
    const session = await converse(a, a, b, c);
    const { runId, tag } = await session.send(b, LONG);
    const owner = await cluster.runnerOf(tag);
    await streams(session.watchers[0] as Watcher);
    owner.cut();
    await ready(owner);
    await owner.client.sessions.cancel(session.id);
    for (const watcher of session.watchers) {
      await eventually(() => /cancelled|interrupted/u.test(lastStatus(watcher, runId) ?? ""), {
        withinMs: TAKEN_OVER_MS,
        what: "the run is over",
      });
    }
    const next = await session.send(owner, script(say("again")));
    await sees(session.watchers[1] as Watcher, { ...next, status: "completed", withinMs: SOON_MS });
    expect(await checkInvariants(session)).toEqual([]);
  });

  it("goes silent reports it in time, loses its sessions to other nodes, and stops their agents (P2, P3, P5)", async () => {
    const session = await converse(a, a, b, c);
    const { runId, tag } = await session.send(c, LONG);
    const owner = await cluster.runnerOf(tag);
    const [other] = others(owner);
    const onOther = session.watchers.find(({ view }) => view.client === other.name) as Watcher;
    await streams(onOther);
    owner.breakLink({ mode: "blackhole" });
    const begun = calmNow();
    const refused = owner.client.sessions
      .create({ title: "never created" })
      .catch((error: unknown) => error);
    await sees(onOther, { runId, status: "interrupted", withinMs: TAKEN_OVER_MS });
    expect(await refused).toMatchObject({ status: 503 });
    expect(calmNow() - begun).toBeLessThan(READY_WITHIN_MS + 1_000);
    const unready = await owner.client.readiness();
    expect(unready).toMatchObject({ status: "unready", reason: expect.stringMatching(/\w{4,}/u) });
    const next = await session.send(other, script(say("elsewhere")));
    await sees(onOther, { runId: next.runId, status: "completed", withinMs: SOON_MS });
    await eventually(
      () => {
        const mine = cluster
          .account()
          .filter(({ repo, node }) => repo === session.repo && node === owner.name);
        const alive = new Set(cluster.agents());
        return mine.every(({ pid }) => !alive.has(pid));
      },
      { withinMs: AGENTS_EXIT_MS, what: "the agent of the disconnected node has exited" },
    );
    owner.heal();
    await ready(owner);
    expect(await checkInvariants(session)).toEqual([]);
  });

  it("is slow responds slowly, and works (P4)", async () => {
    const session = await converse(a, a, b, c);
    for (const node of cluster.nodes) node.breakLink({ mode: "delay", ms: 40 });
    const { runId } = await session.send(b, script(say("one "), say("two")));
    await sees(session.watchers[2] as Watcher, { runId, status: "completed", withinMs: SOON_MS });
    for (const node of cluster.nodes) node.heal();
    expect(await checkInvariants(session)).toEqual([]);
  });
});

describe("a database that is restarted", () => {
  it("makes /readyz report unready, and all nodes recover by themselves (P1, P3, P4)", async () => {
    const session = await converse(a, a, b, c);
    const { tag } = await session.send(a, LONG);
    await cluster.runnerOf(tag);
    await streams(session.watchers[0] as Watcher);
    const up = await cluster.databaseDown();
    try {
      for (const node of cluster.nodes) {
        const begun = calmNow();
        expect(await node.client.readiness()).toMatchObject({
          status: "unready",
          reason: expect.stringMatching(/\w{4,}/u),
        });
        await expect(node.client.sessions.get(session.id)).rejects.toMatchObject({ status: 503 });
        expect(calmNow() - begun).toBeLessThan(READY_WITHIN_MS);
      }
      await pause(1_000);
    } finally {
      await up();
    }
    await Promise.all(cluster.nodes.map((node) => ready(node)));
    await b.client.sessions.cancel(session.id);
    const next = await session.send(c, script(say("after it")));
    for (const watcher of session.watchers) {
      await sees(watcher, { runId: next.runId, status: "completed", withinMs: SOON_MS });
    }
    expect(await checkInvariants(session)).toEqual([]);
  });
});

describe("a node that is drained", () => {
  it("hands over its sessions, requested through another node, without losing anything (P1, P4, P7)", async () => {
    const busy = await converse(a, a, b, c);
    const idle = await converse(a, b);
    const long = await busy.send(a, script(say("started "), ask({ id: "t1", title: "Deploy" })));
    const owner = await cluster.runnerOf(long.tag);
    const [other] = others(owner);
    const onOther = busy.watchers.find(({ view }) => view.client === other.name) as Watcher;
    const suspension = await eventually(() => onOther.view.session.suspension, {
      withinMs: SOON_MS,
      what: "the client sees the question",
    });
    await idle.send(a, script(say("hello")));

    await other.client.nodes.drain(owner.name, { draining: true });
    await eventually(
      async () => (await other.client.nodes.list()).nodes.some(({ drained }) => drained),
      { withinMs: SOON_MS, what: "the node is drained" },
    );
    await eventually(
      () => {
        const alive = new Set(cluster.agents());
        const mine = cluster.account().filter(({ node }) => node === owner.name);
        return mine.every(({ pid }) => !alive.has(pid));
      },
      { withinMs: AGENTS_EXIT_MS, what: "the agents of the drained node have exited" },
    );
    expect(await owner.client.readiness()).toMatchObject({
      status: "unready",
      reason: expect.stringContaining("draining"),
    });

    await owner.client.sessions.answer(busy.id, { suspensionId: suspension.id, answer: "allow" });
    await sees(onOther, { runId: long.runId, status: "completed", withinMs: SOON_MS });
    const next = await idle.send(owner, script(say("elsewhere")));
    expect((await cluster.runnerOf(next.tag)).name).not.toBe(owner.name);

    await other.client.nodes.drain(owner.name, { draining: false });
    await ready(owner);
    expect(await checkInvariants(busy, idle)).toEqual([]);
  });
});
