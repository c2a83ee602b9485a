import { afterEach, describe, it } from "vitest";
import { flood, say, script } from "../../packages/server/src/providers/testing/script.ts";
import { Cluster, eventually } from "./cluster.ts";

/** Longer than the test may take. */
const LEASE_MS = 600_000;

let cluster: Cluster | null = null;
afterEach(async () => {
  await cluster?.close();
  cluster = null;
});

describe("a node that is killed and started again on its data folder", () => {
  it("continues at once, without waiting for its old lease to expire (P3)", async () => {
    cluster = await Cluster.open({ nodes: 1, leaseMs: LEASE_MS });
    const node = cluster.node("a");
    const { sessions } = node.client;
    const { id } = await cluster.createSession(node);
    const text = script(say("started. "), flood({ perSecond: 20, seconds: 600, text: "word " }));
    const { run: interrupted } = await sessions.send(id, { text });
    await eventually(
      async () => (await sessions.messages(id)).messages.some(({ role }) => role === "agent"),
      { withinMs: 15_000, what: "the answer has started" },
    );
    await node.kill();
    await node.start();
    await eventually(
      async () =>
        (await sessions.runs(id)).runs.find((run) => run.id === interrupted.id)?.status ===
        "interrupted",
      { withinMs: 20_000, what: "the run is interrupted" },
    );
    const { run: next } = await sessions.send(id, { text: script(say("and on")) });
    await eventually(
      async () =>
        (await sessions.runs(id)).runs.find((run) => run.id === next.id)?.status === "completed",
      { withinMs: 20_000, what: "the next message is answered" },
    );
  });
});
