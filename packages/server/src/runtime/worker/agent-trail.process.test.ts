import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { exit, ignore, say, script, silent, type Step } from "../../providers/testing/script.ts";
import { ok, TestRuntime, type TestRuntimeOptions } from "../testing/test-runtime.ts";

let test: TestRuntime | null = null;
afterEach(() => test?.close());

async function open(options: TestRuntimeOptions = {}): Promise<TestRuntime> {
  test = await TestRuntime.open(options);
  return test;
}

/** The lines of the trail, oldest first. */
function trail(node: TestRuntime): readonly Readonly<Record<string, unknown>>[] {
  return node.logged.flatMap(({ level, fields, text }) =>
    text === "agent started" || text === "agent ended"
      ? [{ text, level, ...(fields as Record<string, unknown>) }]
      : [],
  );
}

/** The lines of agents that have ended, as soon as there are so many. */
async function ended(node: TestRuntime, count: number): Promise<ReturnType<typeof trail>> {
  const ends = (): ReturnType<typeof trail> =>
    trail(node).filter(({ text }) => text === "agent ended");
  await expect.poll(ends).toHaveLength(count);
  return ends();
}

async function talk(node: TestRuntime, ...steps: readonly Step[]): Promise<string> {
  const id = await node.createSession();
  await node.send(id, script(...steps));
  return id;
}

describe("the trail of agents", () => {
  it("A11, A14: says of each agent that it started, where, for whom, and how many live then", async () => {
    const node = await open({ limits: { liveAgents: 2 } });
    const first = await talk(node, say("one"));
    await node.idle(first);
    const second = await talk(node, say("two"));
    await node.idle(second);
    const pids = await node.processes();
    const shared = { level: "info", provider: "scripted", workspace: node.repoPath, limit: 2 };
    const runs = await Promise.all([first, second].map((id) => node.store.readRuns(id)));
    expect(trail(node)).toEqual([
      {
        text: "agent started",
        ...shared,
        sessionId: first,
        runId: runs[0]?.[0]?.id,
        pid: expect.any(Number),
        live: 1,
      },
      {
        text: "agent started",
        ...shared,
        sessionId: second,
        runId: runs[1]?.[0]?.id,
        pid: expect.any(Number),
        live: 2,
      },
    ]);
    expect(trail(node).map(({ pid }) => pid)).toEqual(expect.arrayContaining([...pids]));
  });

  it("A11: says how an agent ended by itself, in a run and at rest: its code or signal", async () => {
    const node = await open();
    const coded = await talk(node, exit({ code: 7 }));
    expect(await ended(node, 1)).toMatchObject([
      { sessionId: coded, code: 7, signal: null, reason: "exited", live: 0, limit: 5 },
    ]);
    const idle = await talk(node, say("done"));
    await node.idle(idle);
    await node.killAgents();
    expect((await ended(node, 2))[1]).toEqual({
      text: "agent ended",
      level: "info",
      sessionId: idle,
      provider: "scripted",
      pid: trail(node)[2]?.["pid"],
      code: null,
      signal: "SIGKILL",
      reason: "exited",
      live: 0,
      limit: 5,
    });
  });

  it("A11: says of one that was not able to start that it ended", async () => {
    const node = await open({ agents: [{ at: { initialize: [exit({ code: 3 })] } }] });
    await node.idle(await talk(node, say("never")));
    const ends = await ended(node, trail(node).length / 2);
    expect(ends[0]).toMatchObject({ code: 3, reason: "start_failed", live: 0 });
  });

  it("A11, A12: says why it was ended: evicted, idle, archived, or with the server", async () => {
    const node = await open({ limits: { liveAgents: 1, idleMs: 600_000 } });
    const first = await talk(node, say("one"));
    await node.idle(first);
    const second = await talk(node, say("two"));
    await node.idle(second);
    expect(await ended(node, 1)).toMatchObject([
      { sessionId: first, reason: "evicted", live: 0, limit: 1 },
    ]);
    ok(await node.runtime.archive({ sessionId: second }));
    expect((await ended(node, 2))[1]).toMatchObject({
      sessionId: second,
      reason: "session_closed",
      live: 0,
    });
    const third = await talk(node, say("three"));
    await node.idle(third);
    await node.stop();
    expect((await ended(node, 3))[2]).toMatchObject({ sessionId: third, reason: "shutdown" });
    await node.start();
  });

  it("A12: says of an idle agent that it was ended for that", async () => {
    const node = await open({ limits: { idleMs: 20 } });
    const id = await talk(node, say("one"));
    expect(await ended(node, 1)).toMatchObject([{ sessionId: id, reason: "idle", live: 0 }]);
  });
});

describe("an agent whose session is closed", () => {
  /** The calls that the agent received, in order, and how it was told to end. */
  const heard = (log: string): readonly string[] =>
    readFileSync(log, "utf8")
      .split("\n")
      .flatMap((line) => {
        if (line === "") return [];
        const { method, got } = JSON.parse(line) as { method?: string; got?: string };
        return method ?? got ?? [];
      });

  const CLOSINGS = {
    "is deleted": (node: TestRuntime, sessionId: string) =>
      node.runtime.deleteSession({ sessionId }),
    "is archived": (node: TestRuntime, sessionId: string) => node.runtime.archive({ sessionId }),
    "has failed": (node: TestRuntime, sessionId: string) =>
      node.runtime.fail({ sessionId, reason: "broken" }),
  };

  for (const [how, close] of Object.entries(CLOSINGS)) {
    for (const isBusy of [true, false]) {
      it(`A11, ruling 4: hears session/cancel before its process is ended, when its session ${how} and it is ${isBusy ? "at work" : "idle"}`, async () => {
        const folder = mkdtempSync(path.join(tmpdir(), "holdfast-heard-"));
        onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
        const log = path.join(folder, "heard.jsonl");
        // It lives on at the end of its input, so that it tells of SIGTERM, too, however slow it is.
        const node = await open({
          agents: [{ log, at: { start: [ignore("eof")] } }],
          times: { urgentMs: 60_000 },
        });
        const id = await talk(node, say("on"), ...(isBusy ? [silent()] : []));
        await node.until(
          id,
          ({ session, messages }) => messages.length > 1 && (isBusy || session.state === "idle"),
        );
        ok(await close(node, id));
        await ended(node, 1);
        expect(heard(log).slice(-4)).toEqual([
          "session/prompt",
          "session/cancel",
          "end of stdin",
          "SIGTERM",
        ]);
      });
    }
  }
});
