import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { ask, say, script, stamp, waitFor } from "../../providers/testing/script.ts";
import { openTestStore } from "../../storage/testing/test-database.ts";
import type { FeedItem } from "../feeds/feed.ts";
import { ok, TestRuntime, transcript, type TestRuntimeOptions } from "../testing/test-runtime.ts";

let nodes: TestRuntime[] = [];
afterEach(async () => {
  for (const node of nodes.toReversed()) await node.close();
  nodes = [];
});

/** Long enough that nobody loses a lease for a busy machine. */
const QUICK = { leaseMs: 30_000, drainMs: 1_000 };

/** Nodes that know of each other. */
async function open(
  count: number,
  options: TestRuntimeOptions = {},
): Promise<readonly [TestRuntime, TestRuntime, ...TestRuntime[]]> {
  const all = { member: QUICK, ...options };
  const first = await TestRuntime.open({ engine: "postgres", ...all });
  nodes = [first];
  while (nodes.length < count) nodes.push(await first.addNode(all));
  for (const node of nodes) {
    await expect.poll(async () => (await node.runtime.listNodes()).length).toBe(count);
  }
  const [a, b, ...more] = nodes;
  if (a === undefined || b === undefined) throw new Error("too few nodes");
  return [a, b, ...more];
}

const ownerOf = async (node: TestRuntime, id: string): Promise<string | undefined> =>
  (await node.store.ownerOf(id))?.node;

describe("nodes on one database", () => {
  it("take any request each: created here, sent there, watched and cancelled elsewhere", async () => {
    const [a, b, c = a] = await open(3);
    const id = await a.createSession();
    const seen: FeedItem[] = [];
    const watching = ok(
      await c.runtime.openFeed({
        sessionId: id,
        after: 0,
        onItem: (item) => seen.push(item) > 0,
        onEnd: () => {},
      }),
    );
    await b.send(id, script(say("one")));
    expect(transcript(await a.idle(id)).at(-1)).toBe("agent one");
    await a.send(id, script(waitFor(path.join(a.folder, "never"))));
    await b.until(id, ({ session }) => session.state === "running");
    ok(await c.runtime.cancel({ sessionId: id, reason: "enough" }));
    await a.idle(id);
    await expect
      .poll(() => seen.some(({ change }) => JSON.stringify(change).includes("enough")))
      .toBe(true);
    const positions = seen.flatMap(({ position }) => position ?? []).map(Number);
    expect(positions).toEqual(positions.toSorted((x, y) => x - y));
    watching.feed.close();
  });

  it("give each session one owner, which answers reach wherever they are given (P2, C3)", async () => {
    const [a, b] = await open(2);
    const id = await a.createSession();
    await a.send(id, script(ask({ id: "t", title: "May I?" }), say("thanks")));
    const { session } = await b.until(id, (whole) => whole.session.state === "suspended");
    const owner = await ownerOf(a, id);
    const other = owner === a.node ? b : a;
    const suspensionId = session.suspensions[0]?.id ?? "";
    ok(await other.runtime.answer({ sessionId: id, suspensionId, answer: "allow", by: "ada" }));
    expect(transcript(await other.idle(id)).at(-1)).toContain("thanks");
    expect(await ownerOf(a, id)).toBe(owner);
    // The agent that asked is the one that heard: nobody had to be told what was said before.
    expect(transcript(await a.read(id)).filter((line) => line.startsWith("system"))).toEqual([]);
  });

  it("share the work: who has more room gets it", async () => {
    const [a, b] = await open(2, { limits: { liveAgents: 4 } });
    const ids: string[] = [];
    for (let index = 0; index < 6; index += 1) {
      const id = await a.createSession();
      await a.send(id, script(waitFor(path.join(a.folder, "go"))));
      ids.push(id);
    }
    await expect
      .poll(async () => Promise.all(ids.map((id) => ownerOf(a, id))))
      .not.toContain(undefined);
    const owners = await Promise.all(ids.map((id) => ownerOf(a, id)));
    const here = owners.filter((owner) => owner === a.node).length;
    // The load of other nodes is known with a delay, so the counts may differ by one.
    expect(Math.min(here, owners.length - here)).toBeGreaterThanOrEqual(2);
    writeFileSync(path.join(a.folder, "go"), "");
    for (const id of ids) await b.idle(id);
  });

  it("run at most so many agents together as all of them may, and the others after them", async () => {
    const [a, b] = await open(2, { limits: { clusterAgents: 2 } });
    const go = path.join(a.folder, "go");
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      const node = index % 2 === 0 ? a : b;
      const id = await node.createSession();
      await node.send(id, script(waitFor(go), say("done")));
      ids.push(id);
    }
    await expect
      .poll(async () => (await a.processes()).length + (await b.processes()).length)
      .toBe(2);
    writeFileSync(go, "");
    for (const id of ids)
      expect(transcript(await a.until(id, isIdle, { withinMs: 30_000 })).at(-1)).toBe("agent done");
  });

  it("run a session only where its repository is", async () => {
    const [a, b] = await open(2);
    const repo = ok(await a.runtime.addRepo({ path: a.repoPath, name: null })).repo;
    expect(repo.id).toBe(a.repoId);
    const gpu = await a.addNode({ member: { ...QUICK, labels: ["gpu"] } });
    nodes.push(gpu);
    const special = path.join(a.folder, "root", "special");
    const { mkdirSync } = await import("node:fs");
    mkdirSync(path.join(special, ".git"), { recursive: true });
    const added = ok(await b.runtime.addRepo({ path: special, name: null, label: "gpu" }));
    await expect
      .poll(
        async () =>
          (await a.runtime.listNodes()).filter((node) => node.missing.includes(added.repo.id))
            .length,
        { interval: 200 },
      )
      .toBe(2);
    const id = await a.createSession({ repoId: added.repo.id });
    await a.send(id, script(say("here"), waitFor(path.join(a.folder, "go"))));
    await b.until(id, ({ messages }) => messages.some(({ role }) => role === "agent"));
    expect(await ownerOf(a, id)).toBe(gpu.node);
    writeFileSync(path.join(a.folder, "go"), "");
    await b.idle(id);
  });

  it("hand over what a node has when it is drained, and lose nothing (P1, P2)", async () => {
    const [a, b] = await open(2);
    const [idle, waiting] = [await a.createSession(), await a.createSession()];
    await a.send(idle, script(say("one")));
    await a.idle(idle);
    await a.send(waiting, script(ask({ id: "t", title: "May I?" }), say("thanks")));
    await a.until(waiting, ({ session }) => session.state === "suspended");
    for (const node of [a, b]) {
      const other = node === a ? b : a;
      ok(await other.runtime.drainNode({ name: node.node, draining: true }));
      // `holdfast nodes drain --wait` asks right after its request.
      const views = await other.runtime.listNodes();
      expect(views.find((view) => view.node === node.node)?.draining).toBe(true);
      await expect.poll(async () => (await node.runtime.readiness()).ready).toBe(false);
      await expect.poll(() => node.processes()).toEqual([]);
      await node.send(idle, script(say(`without ${node === a ? "a" : "b"}`)));
      expect(transcript(await node.idle(idle)).at(-1)).toBe(
        `agent without ${node === a ? "a" : "b"}`,
      );
      expect(await ownerOf(a, idle)).toBe(other.node);
      ok(await other.runtime.drainNode({ name: node.node, draining: false }));
      await expect.poll(async () => (await node.runtime.readiness()).ready).toBe(true);
    }
    const { session } = await a.read(waiting);
    expect([session.status, session.state]).toEqual(["active", "suspended"]);
    const suspensionId = session.suspensions[0]?.id ?? "";
    ok(await b.runtime.answer({ sessionId: waiting, suspensionId, answer: "allow", by: "ada" }));
    expect(transcript(await a.idle(waiting)).at(-2)).toContain("The user ALLOWED it");
  });

  it("go on with what is queued when a node is stopped, and cut only what is at work", async () => {
    const [a, b] = await open(2, { continueInterrupted: 1 });
    const id = await a.createSession();
    await a.send(id, script(say("begun"), stamp(10_000, 50)));
    await a.until(id, ({ messages }) => messages.some(({ role }) => role === "agent"));
    const owner = (await ownerOf(a, id)) === a.node ? a : b;
    const other = owner === a ? b : a;
    await other.send(id, script(say("next")));
    await owner.stop();
    const whole = await other.until(id, isIdle);
    const runs = await other.store.readRuns(id);
    expect(runs.map(({ status }) => status)).toEqual(["interrupted", "completed"]);
    expect(transcript(whole).join("\n")).toContain("agent next");
  });

  it("notice what another node stored before it died without telling them (P3)", async () => {
    const database = await openTestStore("postgres");
    const deaf = { ...database, store: { ...database.store, onOutsideWrites: () => {} } };
    const a = await TestRuntime.open({ database: deaf, member: QUICK });
    nodes = [a];
    const id = await a.createSession();
    await a.send(id, script(ask({ id: "t", title: "May I?" }), say("thanks")));
    await a.until(id, ({ session }) => session.state === "suspended");
    const b = await a.addNode();
    nodes.push(b);
    await b.send(id, script(say("next")));
    ok(await b.runtime.cancel({ sessionId: id, reason: "enough" }));
    expect(transcript(await a.until(id, isIdle)).at(-1)).toBe("agent next");
  });

  it("leave no agent of a session that another node took while it was starting (P2)", async () => {
    const [a, b] = await open(2);
    for (const startedMs of [20, 60, 100, 140, 180, 220]) {
      const id = await a.createSession();
      await a.send(id, script(say("begun"), stamp(10_000, 50)));
      await expect.poll(() => ownerOf(a, id)).not.toBeNull();
      await pause(startedMs);
      const owner = (await ownerOf(a, id)) === a.node ? a : b;
      const other = owner === a ? b : a;
      await takeOver(id, { from: owner, by: other });
      // The new owner has an agent. By then the agent that was starting has started, and must be gone.
      await pause(500);
      const agents = async (): Promise<number> =>
        [...(await a.processes()), ...(await b.processes())].length;
      await expect.poll(agents).toBeLessThanOrEqual(1);
      expect(await owner.runtime.deleteSession({ sessionId: id })).toMatchObject({ ok: true });
      await expect.poll(agents).toBe(0);
    }
  });

  it("end their agents when their lease has run out, and write nothing more (P2)", async () => {
    const [a, b] = await open(2);
    const id = await a.createSession();
    await a.send(id, script(say("begun"), stamp(10_000, 20)));
    await a.until(id, ({ messages }) => messages.some(({ role }) => role === "agent"));
    const owner = (await ownerOf(a, id)) === a.node ? a : b;
    const other = owner === a ? b : a;
    await takeOver(id, { from: owner, by: other });
    const saidBefore = await agentSaid(other, id);
    await expect.poll(() => owner.processes()).toEqual([]);
    // The other node itself may already have written that the work was cut off.
    expect(await agentSaid(other, id)).toEqual(saidBefore);
  });
});

async function agentSaid(node: TestRuntime, sessionId: string): Promise<readonly unknown[]> {
  const { messages } = await node.read(sessionId);
  return messages.filter(({ role }) => role === "agent").map(({ content }) => content["text"]);
}

/** Expires the lease of the owner. The owner may renew it in between. */
async function takeOver(
  sessionId: string,
  { from, by }: { readonly from: TestRuntime; readonly by: TestRuntime },
): Promise<void> {
  const claim = async (): Promise<boolean> => {
    await from.store.renewLease({ node: from.node, ttlMs: -1 });
    return (await by.store.claim({ sessionId, node: by.node })).ok;
  };
  await expect.poll(claim).toBe(true);
}

const isIdle = ({ session }: { session: { state: string; queued: number } }): boolean =>
  session.state === "idle" && session.queued === 0;
