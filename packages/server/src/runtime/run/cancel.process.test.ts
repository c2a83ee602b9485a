import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  ask,
  child,
  closeStdout,
  ignore,
  say,
  script,
  silent,
  waitFor,
  type Step,
} from "../../providers/testing/script.ts";
import { ok, TestRuntime, transcript } from "../testing/test-runtime.ts";

let test: TestRuntime;
beforeEach(async () => {
  test = await TestRuntime.open();
});
afterEach(() => test.close());

const never = (): Step => waitFor(path.join(test.folder, "never"));

async function working(...steps: readonly Step[]): Promise<string> {
  const id = await test.createSession();
  await test.send(id, script(say("working"), ...steps));
  await test.until(id, ({ messages }) => messages.length >= 2);
  return id;
}

describe("cancel", () => {
  it("ends the run at once, says why, and the session goes on with the same agent (C1)", async () => {
    const id = await working(never());
    const before = await test.processes();
    const { session } = ok(await test.runtime.cancel({ sessionId: id, reason: "wrong branch" }));
    expect([session.status, session.state]).toEqual(["active", "idle"]);
    await test.send(id, script(say("next")));
    expect(
      transcript(await test.idle(id))
        .slice(1)
        .filter((line) => !line.startsWith("user")),
    ).toEqual(["agent working", "system Cancelled: wrong branch", "agent next"]);
    expect(await test.processes()).toEqual(before);
  });

  it("of an idle session is nothing", async () => {
    const id = await test.createSession();
    const { session } = ok(await test.runtime.cancel({ sessionId: id, reason: "no" }));
    expect([session.state, (await test.read(id)).messages]).toEqual(["idle", []]);
  });

  it("makes an agent go that does not listen, with everything it started (P5)", async () => {
    await test.close();
    test = await TestRuntime.open({ times: { cancelMs: 1_000 } });
    const id = await working(
      ignore("cancel", "sigterm", "eof"),
      child({ how: "setsid", stubborn: true, seconds: 60 }),
      never(),
    );
    ok(await test.runtime.cancel({ sessionId: id, reason: "stop" }));
    await test.untilNoProcess();
    await test.send(id, script(say("another")));
    expect(transcript(await test.idle(id)).at(-1)).toBe("agent another");
  });

  it("of an agent that then closes its stdout and lives on leaves the next message to another one (C4)", async () => {
    const go = path.join(test.folder, "go");
    const id = await working(
      ignore("cancel", "eof"),
      say("on"),
      waitFor(go),
      closeStdout(),
      never(),
    );
    ok(await test.runtime.cancel({ sessionId: id, reason: "stop" }));
    writeFileSync(go, "");
    const { run } = await test.send(id, script(say("another")));
    expect(transcript(await test.idle(id)).at(-1)).toBe("agent another");
    expect(await test.store.readRun(run.id)).toMatchObject({ status: "completed" });
  });

  it("of a run that waits for an answer lets the question go (C1)", async () => {
    const id = await working(ask({ id: "p", title: "May I?" }), say("after"));
    const { session } = await test.until(id, (whole) => whole.session.state === "suspended");
    const suspensionId = session.suspensions[0]?.id ?? "";
    ok(await test.runtime.cancel({ sessionId: id, reason: "no" }));
    expect(await test.store.readSuspension(suspensionId)).toMatchObject({ status: "released" });
    const late = await test.runtime.answer({
      sessionId: id,
      suspensionId,
      answer: "allow",
      by: "ada",
    });
    expect(late).toMatchObject({ refusal: { code: "suspension_not_open", state: "idle" } });
    await test.send(id, script(say("next")));
    expect(transcript(await test.idle(id)).at(-1)).toBe("agent next");
  });

  it("while the agent is still starting leaves nothing behind (P5)", async () => {
    await test.close();
    test = await TestRuntime.open({ agents: [{ at: { initialize: [silent()] } }] });
    const id = await test.createSession();
    await test.send(id, "hello");
    ok(await test.runtime.cancel({ sessionId: id, reason: "too slow" }));
    expect(transcript(await test.idle(id)).at(-1)).toBe("system Cancelled: too slow");
    await test.untilNoProcess();
  });
});

describe("delete", () => {
  it.each<[string, readonly Step[], string]>([
    ["idle", [], "idle"],
    ["running", [silent()], "running"],
    ["suspended", [ask({ id: "p", title: "May I?" })], "suspended"],
  ])("from %s removes the session for good and ends its agent (C8)", async (_, steps, state) => {
    const id = await working(...steps);
    await test.until(id, ({ session }) => session.state === state);
    const { session } = ok(await test.runtime.deleteSession({ sessionId: id }));
    expect(session).toMatchObject({ id, state });
    expect(await test.runtime.readSession(id)).toMatchObject({
      refusal: { code: "session_not_found" },
    });
    await test.untilNoProcess();
    expect(await test.runtime.deleteSession({ sessionId: id })).toMatchObject({
      refusal: { code: "session_not_found" },
    });
  });
});

describe("archive", () => {
  it("ends the run and the agent, keeps the history, and takes no more messages (A9)", async () => {
    const id = await working(never());
    const queued = await test.send(id, "later");
    const { session } = ok(await test.runtime.archive({ sessionId: id }));
    expect([session.status, session.state, session.queued]).toEqual(["archived", "idle", 0]);
    await test.untilNoProcess();
    expect(await test.runtime.sendMessage(test.message(id, "more"))).toMatchObject({
      refusal: { code: "session_archived", status: "archived" },
    });
    expect((await test.read(id)).messages.map((message) => message.id)).toContain(queued.messageId);
  });
});
