import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, exit, script, silent, tool } from "../../providers/testing/script.ts";
import type { WholeSession } from "../runtime.ts";
import { ok, TestRuntime } from "../testing/test-runtime.ts";

let test: TestRuntime;
let id: string;
beforeEach(async () => {
  test = await TestRuntime.open();
  id = await test.createSession();
});
afterEach(() => test.close());

const OPEN = tool({ id: "t1", title: "Build", kind: "execute", ends: null });

const calls = ({ messages }: WholeSession) =>
  messages.flatMap(({ content, complete }) =>
    content.type === "tool" ? [[content["callId"], content["status"], complete]] : [],
  );

async function working(): Promise<void> {
  await test.send(id, script(OPEN, silent()));
  await test.until(id, (whole) => calls(whole).length === 1);
}

describe("a tool call that nobody ends", () => {
  it("A3: is unfinished when its run is cancelled", async () => {
    await working();
    ok(await test.runtime.cancel({ sessionId: id, reason: "enough" }));
    expect(calls(await test.read(id))).toEqual([["t1", "unfinished", true]]);
  });

  it("A3: is unfinished when its agent dies", async () => {
    await test.send(id, script(OPEN, exit({ code: 1 })));
    expect(calls(await test.idle(id))).toEqual([["t1", "unfinished", true]]);
  });

  it("A3, C5: is unfinished after a crash of the server", async () => {
    await working();
    await test.restartAfterCrash();
    expect(calls(await test.idle(id))).toEqual([["t1", "unfinished", true]]);
  });

  it("A3, C3: waits with its question through a crash, and is closed with the run that went on without it", async () => {
    await test.send(
      id,
      script(tool({ id: "t0", title: "Look", ends: null }), ask({ id: "t1", title: "Build" })),
    );
    const { session } = await test.until(id, (whole) => whole.session.state === "suspended");
    await test.restartAfterCrash();
    await expect.poll(() => test.recoveries).toBeGreaterThan(0);
    const open = calls(await test.read(id));
    expect(open.map(([, , complete]) => complete)).toEqual(open.map(() => false));
    const suspensionId = session.suspensions[0]?.id ?? "";
    ok(await test.runtime.answer({ sessionId: id, suspensionId, answer: "reject", by: "ada" }));
    const closed = calls(await test.idle(id));
    expect(closed).toEqual(open.map(([callId]) => [callId, "unfinished", true]));
    expect(closed.length).toBeGreaterThan(0);
  });

  it("A3: is unfinished in a fork that was made meanwhile, and goes on in the original", async () => {
    await working();
    const fork = ok(await test.runtime.fork({ sessionId: id, atMessage: null })).session.id;
    expect(calls(await test.read(fork))).toEqual([["t1", "unfinished", true]]);
    expect(calls(await test.read(id))).toEqual([["t1", "in_progress", false]]);
  });
});
