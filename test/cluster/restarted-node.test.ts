import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  say,
  script,
  silent,
  waitFor,
} from "../../packages/server/src/providers/testing/script.ts";
import { Cluster, eventually } from "./cluster.ts";
import type { ClusterNode } from "./cluster-node.ts";

/** Longer than the test may take. */
const LEASE_MS = 600_000;

let cluster: Cluster | null = null;
let node: ClusterNode;
let id: string;
beforeEach(async () => {
  cluster = await Cluster.open({ nodes: 1, leaseMs: LEASE_MS });
  node = cluster.node("a");
  ({ id } = await cluster.createSession(node));
});
afterEach(async () => {
  await cluster?.close();
  cluster = null;
});

const agents = (): readonly number[] => cluster?.agents() ?? [];

async function textIs(text: string): Promise<void> {
  const said = async (): Promise<string> =>
    (await node.client.sessions.messages(id)).messages
      .filter(({ role, content }) => role === "agent" && content.type === "text")
      .map(({ content }) => content["text"])
      .join("");
  const what = `the agent has said "${text}"`;
  await eventually(async () => (await said()) === text, { withinMs: 20_000, what });
}

async function runEnds(runId: string, status: string): Promise<void> {
  const { sessions } = node.client;
  await eventually(
    async () => (await sessions.runs(id)).runs.find((run) => run.id === runId)?.status === status,
    { withinMs: 20_000, what: `the run is ${status}` },
  );
}

describe("a node that is killed and started again on its data folder", () => {
  it("goes on at once with the same agent, without waiting for its old lease to expire (D4, P3)", async () => {
    const { sessions } = node.client;
    const gate = path.join(node.data, "gate");
    const text = script(say("one "), waitFor(gate), say("two "), silent());
    const { run } = await sessions.send(id, { text });
    await textIs("one ");
    const before = agents();
    await node.kill();
    writeFileSync(gate, "");
    await node.start();
    await textIs("one two ");
    expect(agents()).toEqual(before);
    // The node owns the session again: the agent obeys it.
    await sessions.cancel(id);
    await runEnds(run.id, "cancelled");
    const { run: next } = await sessions.send(id, { text: script(say("three")) });
    await runEnds(next.id, "completed");
    await textIs("one two three");
    expect(agents()).toEqual(before);
  });

  it("interrupts at once the run of an agent that was killed too, without waiting for its old lease to expire (P3)", async () => {
    const { sessions } = node.client;
    const { run } = await sessions.send(id, { text: script(say("one "), silent()) });
    await textIs("one ");
    const file = path.join(node.data, "host/host.json");
    const host: { readonly pid: number } = JSON.parse(readFileSync(file, "utf8"));
    await node.kill();
    process.kill(host.pid, "SIGKILL");
    await node.start();
    await runEnds(run.id, "interrupted");
    const { run: next } = await sessions.send(id, { text: script(say("two")) });
    await runEnds(next.id, "completed");
    await textIs("one two");
  });
});
