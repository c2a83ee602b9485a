import { setTimeout as pause } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { flood, say, script } from "../../providers/testing/script.ts";
import { openTcpProxy, PASS, type TcpProxy } from "../../storage/testing/tcp-proxy.ts";
import { ok, TestRuntime, transcript } from "../testing/test-runtime.ts";

/** A node whose way to PostgreSQL can be cut. */
async function openNode(): Promise<{ readonly node: TestRuntime; readonly way: TcpProxy }> {
  const other = await TestRuntime.open({ engine: "postgres" });
  const { location } = other;
  if (location.engine !== "postgres") throw new Error("unreachable: it was asked for");
  await other.stop();
  const url = new URL(location.url);
  const way = await openTcpProxy({ host: url.hostname, port: Number(url.port) });
  url.port = `${way.port}`;
  const node = await other.addNode({}, { engine: "postgres", url: url.href });
  onTestFinished(async () => {
    way.set(PASS);
    await node.close();
    await way.close();
    await other.close();
  });
  return { node, way };
}

it("a session that could not be looked at while the database was away has one agent afterwards (P2, P5)", async () => {
  const { node, way } = await openNode();
  const id = await node.createSession();
  await node.send(id, script(flood({ text: "word ", perSecond: 50, seconds: 60 })));
  await node.until(id, ({ messages }) => messages.length > 1);

  way.cut();
  way.set({ mode: "refuse" });
  const failedLooks = (): number =>
    node.logged.filter(({ text }) => text === "a session could not be looked at").length;
  await expect.poll(failedLooks, { interval: 5 }).toBeGreaterThan(1);
  way.set(PASS);
  await expect
    .poll(() => node.runtime.cancel({ sessionId: id, reason: "on" }).catch(() => null))
    .toMatchObject({ ok: true });
  await node.send(id, script(say("back")));
  expect(transcript(await node.idle(id)).at(-1)).toBe("agent back");

  // Longer than until a session is looked at again.
  await pause(1_500);
  await node.send(id, script(say("again")));
  expect(transcript(await node.idle(id)).at(-1)).toBe("agent again");
  expect(await node.processes()).toHaveLength(1);
  ok(await node.runtime.deleteSession({ sessionId: id }));
  await node.untilNoProcess();
});
