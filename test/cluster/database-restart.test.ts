import { writeFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { say, script, stamp, waitFor } from "../../packages/server/src/providers/testing/script.ts";
import { Cluster, eventually } from "./cluster.ts";
import { violationsIn } from "./invariants.ts";
import { settle } from "./settle.ts";
import { openWatcher } from "./watcher.ts";
import { BEARER } from "../../packages/server/src/http/testing/server-token.ts";

/** Longer than a restart of the database takes on any machine. */
const LEASE_MS = 600_000;
const SOON_MS = 60_000;

let cluster: Cluster | null = null;
afterEach(async () => {
  await cluster?.close();
  cluster = null;
});

describe("a database that is restarted within a lease", () => {
  it("interrupts no run, and readers on every node see each event once (P1, P3, P4, C5, C7)", async () => {
    const nodes = await Cluster.open({ nodes: 2, leaseMs: LEASE_MS });
    cluster = nodes;
    const [a, b] = [nodes.node("a"), nodes.node("b")];
    const { id, repo } = await nodes.createSession(a);
    const watchers = await Promise.all(
      [a, b].map((node) =>
        openWatcher(nodes.history, { client: node.name, sessionId: id, choose: () => node }),
      ),
    );
    const gate = nodes.file("go-on");
    const text = script(say("started "), waitFor(gate), stamp(100, 20));
    const { run } = await a.client.sessions.send(id, { text });
    await eventually(
      () => watchers[1]?.view.session.messages.some(({ role }) => role === "agent"),
      { withinMs: SOON_MS, what: "the answer has started" },
    );

    const up = await nodes.databaseDown();
    writeFileSync(gate, "");
    for (const node of [a, b]) {
      const refused = await fetch(new URL(`/api/sessions/${id}/messages`, node.url), {
        method: "POST",
        headers: { "content-type": "application/json", ...BEARER },
        body: JSON.stringify({ text: script(say("later")) }),
      });
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
      expect(await refused.json()).toMatchObject({ code: "database_unavailable" });
      const statusOf = async (path: string): Promise<number> =>
        (await fetch(new URL(path, node.url), { headers: BEARER })).status;
      expect([await statusOf("/healthz"), await statusOf("/readyz")]).toEqual([200, 503]);
      const metrics = await fetch(new URL("/metrics", node.url), { headers: BEARER });
      expect(await metrics.text()).toContain("\nholdfast_database_up 0\n");
    }
    await up();

    await eventually(
      async () =>
        (await a.client.sessions.runs(id).catch(() => null))?.runs.find(
          (each) => each.id === run.id,
        )?.status === "completed",
      { withinMs: SOON_MS, what: "the run is completed" },
    );
    const { messages } = await b.client.sessions.messages(id);
    const texts = messages.flatMap(({ role, content }) =>
      role === "agent" && content.type === "text" ? [String(content["text"])] : [],
    );
    const numbers = [...texts.join("").matchAll(/(\d+):\d+ /gu)].map(([, number]) =>
      Number(number),
    );
    expect(numbers).toEqual(Array.from({ length: 100 }, (_, number) => number));
    const { evidence } = await settle(nodes, { sessions: [{ id, repo }], watchers, by: a });
    expect(violationsIn(evidence)).toEqual([]);
  });
});
