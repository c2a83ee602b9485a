import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  ask,
  say,
  script,
  waitFor,
} from "../../../packages/server/src/providers/testing/script.ts";
import { openMcpWorld, textIn, type McpWorld } from "./mcp-world.ts";

let world: McpWorld;

beforeEach(async () => {
  world = await openMcpWorld({ agents: { unattendedSeconds: 60 } });
});
afterEach(async () => {
  await world.end();
});

const STDIO = ["stdio 2025", "stdio 2026"] as const;
const file = (name: string): string => path.join(world.root, name);
const userTexts = async (session: string): Promise<unknown[]> =>
  (await world.client().sessions.get(session)).messages
    .filter(({ role }) => role === "user")
    .map(({ content }) => content["text"]);

describe.each(STDIO)("a killed server, for a program over %s", (door) => {
  it("is a pause: the call that waits gets the whole answer (D6)", async () => {
    const from = await world.open(door);
    const { id: session } = await from.data("create_session");
    const text = script(
      say("one "),
      waitFor(file("go")),
      say("two "),
      waitFor(file("end")),
      say("three"),
    );
    const answer = from.data("send_message", { session, text });
    await expect.poll(() => userTexts(String(session))).toEqual([text]);
    await world.kill();
    writeFileSync(file("go"), "");
    await world.start();
    await world.kill();
    await world.start();
    writeFileSync(file("end"), "");
    expect(await answer).toMatchObject({ status: "completed", answer: "one two three" });
    expect(await userTexts(String(session))).toEqual([text]);
  });

  it("loses and repeats no call that is made while it is away (D6)", async () => {
    const from = await world.open(door);
    const { id } = await from.data("create_session");
    const session = String(id);
    await world.kill();
    const text = script(say("late"));
    const calls = [
      from.data("send_message", { session, text }),
      from.data("create_session", { agent_id: "made-while-away" }),
      from.call("set_phase", { session, phase: "planning" }),
    ] as const;
    await world.start();
    expect(await calls[0]).toMatchObject({ status: "completed", answer: "late" });
    expect(await calls[1]).toMatchObject({ agentId: "made-while-away" });
    expect((await calls[2]).isError).toBeUndefined();
    expect(await userTexts(session)).toEqual([text]);
    const { total } = await world.client().sessions.list();
    expect(total).toBe(2);
  });
});

describe.each(STDIO)("a killed program over %s", (door) => {
  it("leaves its work to the server, and the next one finds it (D6)", async () => {
    const first = await world.open(door);
    const { id: session, run } = await first.data("create_session", {
      message: script(say("before "), waitFor(file("go")), ask({ id: "t1", title: "Write it" })),
    });
    const waiting = first.data("wait", { session, run }).catch(() => "gone");
    process.kill(first.pid ?? 0, "SIGKILL");
    expect(await waiting).toBe("gone");
    writeFileSync(file("go"), "");
    const next = await world.open(door);
    expect(await next.data("wait", { session, run })).toMatchObject({
      status: "suspended",
      waitsFor: [{ title: "Write it" }],
    });
    await next.call("answer", { session, answer: "allow" });
    expect(await next.data("wait", { session, run })).toMatchObject({ status: "completed" });
    expect(textIn(await next.call("read_history", { session }))).toContain("before");
    expect((await world.client().sessions.runs(String(session))).runs).toHaveLength(1);
  });
});

describe.each(["HTTP 2025", "HTTP 2026"] as const)("a client over %s that goes away", (door) => {
  it("stops no run, and its connection is forgotten (D6)", async () => {
    const from = await world.open(door);
    const { id: session, run } = await from.data("create_session", {
      message: script(say("one "), waitFor(file("go")), say("two")),
    });
    const waiting = from.data("wait", { session, run }).catch(() => "gone");
    await expect
      .poll(async () => (await world.client().sessions.get(String(session))).state)
      .toBe("running");
    await from.close();
    expect(await waiting).toBe("gone");
    writeFileSync(file("go"), "");
    const next = await world.open(door);
    expect(await next.data("wait", { session, run })).toMatchObject({ answer: "one two" });
  });
});
