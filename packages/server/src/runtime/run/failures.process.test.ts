import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import {
  ask,
  child,
  deaf,
  deep,
  exit,
  fail,
  flood,
  frames,
  huge,
  ignore,
  noise,
  odd,
  pieces,
  request,
  say,
  script,
  silent,
  stderr,
  strayResult,
  stranger,
  doubleResult,
  late,
  meanwhile,
  tool,
  update,
  waitFor,
  type Step,
} from "../../providers/testing/script.ts";
import { ok, TestRuntime, transcript, type TestRuntimeOptions } from "../testing/test-runtime.ts";

let test: TestRuntime;
afterEach(() => test.close());

async function open(options: TestRuntimeOptions = {}): Promise<string> {
  test = await TestRuntime.open(options);
  return test.createSession();
}

const agentLines = (lines: readonly string[]): readonly string[] =>
  lines.filter((line) => !line.startsWith("user"));

describe("an agent that crashes", () => {
  it("ends its run with the reason and what it wrote to stderr; the next message works (C4)", async () => {
    const id = await open();
    const sent = await test.send(
      id,
      script(say("half a sen"), exit({ code: 3, stderr: "out of memory: 0xdead" })),
    );
    const crashed = await test.idle(id);
    expect(crashed.session).toMatchObject({ status: "active", state: "idle", errorCount: 1 });
    const [words, notice] = crashed.messages.slice(1);
    expect(words).toMatchObject({ role: "agent", complete: true, content: { text: "half a sen" } });
    expect(notice).toMatchObject({
      role: "system",
      content: {
        notice: "run_failed",
        code: "agent_exited",
        text: expect.stringContaining("3"),
        detail: expect.stringContaining("out of memory: 0xdead"),
      },
    });
    expect(await test.store.readRun(sent.run.id)).toMatchObject({ status: "failed" });
    await test.untilNoProcess();
    await test.send(id, script(say("still here")));
    const recovered = await test.idle(id);
    expect(transcript(recovered).at(-1)).toBe("agent still here");
    expect(recovered.session).toMatchObject({
      errorCount: 0,
      lastError: crashed.session.lastError,
    });
  });

  it.each<[string, TestRuntimeOptions]>([
    ["before anything is said", { agents: [{ at: { start: [exit({ code: 1, stderr: "no" })] } }] }],
    ["after it was greeted", { agents: [{ at: { initialized: [exit({ code: 1 })] } }] }],
    ["while its session is made", { agents: [{ at: { session: [exit({ code: 1 })] } }] }],
  ])("%s ends the run, and leaves a session that goes on (C4)", async (_, options) => {
    const id = await open({ ...options, limits: { retries: 1 } });
    await test.send(id, "hello");
    const { session, messages } = await test.idle(id);
    expect([session.status, session.state]).toEqual(["active", "idle"]);
    expect(messages.at(-1)?.content).toMatchObject({ notice: "run_failed" });
    await test.untilNoProcess();
  });

  it("leaves none of what it started behind, wherever that went", async () => {
    const id = await open();
    await test.send(
      id,
      script(
        child({ how: "setsid", stubborn: true, seconds: 60 }),
        child({ how: "group" }),
        exit({ signal: "SIGKILL" }),
      ),
    );
    await test.idle(id);
    await test.untilNoProcess();
  });

  it("while nobody needs it, is simply replaced (A12)", async () => {
    const id = await open();
    await test.send(id, script(say("one")));
    await test.idle(id);
    const before = await test.read(id);
    await test.killAgents();
    expect((await test.read(id)).messages).toEqual(before.messages);
    await test.send(id, script(say("two")));
    expect(transcript(await test.idle(id)).at(-1)).toBe("agent two");
  });
});

const TITLE = { sessionUpdate: "session_info_update" };

describe("an agent that misbehaves", () => {
  const cases: readonly [string, readonly Step[], RegExp][] = [
    [
      "writes noise to stdout",
      [noise("Loading… 100%"), say("ok"), noise("{not json")],
      /^agent ok$/u,
    ],
    [
      "writes half lines",
      [pieces({ text: "halves", how: "halves", pauseMs: 5 })],
      /^agent halves$/u,
    ],
    [
      "cuts inside characters",
      [pieces({ text: "grüße 🌍 ok", how: "characters" })],
      /grüße 🌍 ok/u,
    ],
    ["writes byte by byte", [pieces({ text: "bytes ✓", how: "bytes" })], /bytes ✓/u],
    ["sends a line beyond the limit", [huge(9 * 1024 * 1024), say("after")], /^agent after$/u],
    ["nests too deep", [deep(100_000), say("after")], /^agent after$/u],
    ["says what nobody knows", [odd(), frames(), say("after")], /after$/u],
    ["speaks for other sessions", [stranger("not me"), say("me")], /^agent me$/u],
    ["answers what nobody asked", [strayResult(), say("fine")], /^agent fine$/u],
    ["answers twice", [say("once"), doubleResult()], /^agent once$/u],
    ["asks what nobody offers", [request("craft/drainMidTurnQueue"), say(" ok")], /-32601.* ok/u],
  ];

  it.each(cases)("that %s does no harm (C4)", async (_, steps, expected) => {
    const id = await open();
    await test.send(id, script(...steps));
    const whole = await test.idle(id);
    expect(agentLines(transcript(whole)).at(-1)).toMatch(expected);
    await test.send(id, script(say("next")));
    expect(transcript(await test.idle(id)).at(-1)).toBe("agent next");
  });

  it("that talks on after its answer does no harm (C4)", async () => {
    const definition = { speaksLate: true };
    const id = await open({ times: { quietMs: 2_000, lateMs: 4_000 }, agents: [{ definition }] });
    await test.send(id, script(say("early "), late("late", 5)));
    expect(transcript(await test.idle(id)).at(-1)).toBe("agent early late");
    await test.send(id, script(say("next")));
    expect(transcript(await test.idle(id)).at(-1)).toBe("agent next");
  });

  it("that talks on after the end of its run is heard, as part of that run (C4)", async () => {
    const id = await open();
    const when = path.join(test.folder, "root", "now");
    const more = [say("late "), say("words"), update({ ...TITLE, title: "A late title" })];
    const { run } = await test.send(id, script(meanwhile(when, ...more), say("early")));
    await test.idle(id);
    writeFileSync(when, "");
    const whole = await test.until(
      id,
      ({ messages, session }) => messages.length > 2 && session.title !== null,
    );
    expect(transcript(whole).slice(1)).toEqual(["agent early", "agent late words"]);
    expect(whole.messages.at(-1)).toMatchObject({ runId: run.id, complete: true });
    expect(whole.session).toMatchObject({ state: "idle", title: "A late title" });
    await test.send(id, script(say("next")));
    expect(transcript(await test.idle(id)).slice(2)).toEqual([
      "agent late words",
      expect.stringMatching(/^user /u),
      "agent next",
    ]);
  });

  it("that talks on after it was cancelled is not heard any more (C4)", async () => {
    const id = await open();
    const when = path.join(test.folder, "root", "now");
    await test.send(id, script(meanwhile(when, say("late")), say("early"), silent()));
    await test.until(id, ({ messages }) => messages.length === 2);
    ok(await test.runtime.cancel({ sessionId: id, reason: "enough" }));
    await test.idle(id);
    writeFileSync(when, "");
    const journal = path.join(test.folder, "journals", `${id}.jsonl`);
    await expect.poll(() => readFileSync(journal, "utf8")).toContain('\\"text\\":\\"late\\"');
    await test.send(id, script(say("next")));
    expect(transcript(await test.idle(id)).join("; ")).not.toContain("agent late");
  });

  it("that talks on while its next message waits loses no word and mixes up no runs (C4)", async () => {
    const id = await open();
    const runs = [];
    for (const word of ["one", "two", "three"])
      runs.push((await test.send(id, script(say(`${word} `), late(`${word}!`, 1)))).run.id);
    const { messages } = await test.until(
      id,
      (whole) => transcript(whole).join(" ").includes("three!") && whole.session.state === "idle",
    );
    const said = runs.map((runId) =>
      messages
        .filter((message) => message.role === "agent" && message.runId === runId)
        .map(({ content }) => content["text"] as string)
        .join(""),
    );
    expect(said).toEqual(["one one!", "two two!", "three three!"]);
  });

  it("that reads nothing does not stop others (C4)", async () => {
    const id = await open({ limits: { silentMs: 3_000 } });
    await test.send(id, script(deaf()));
    const other = await test.createSession();
    await test.send(other, script(say("works")));
    expect(transcript(await test.idle(other)).at(-1)).toBe("agent works");
    await test.idle(id);
    await test.send(id, "x".repeat(900_000));
    expect((await test.idle(id)).session.state).toBe("idle");
  });

  it("that floods is stored whole, in order, and bounded in memory (C5)", async () => {
    const id = await open();
    await test.send(id, script(flood({ count: 20_000, text: "0123456789" })));
    const { messages } = await test.until(id, ({ session }) => session.state === "idle", {
      withinMs: 60_000,
    });
    const text = messages.slice(1).map(({ content }) => content["text"] as string);
    expect(text.join("").length).toBe(200_000);
  });
});

describe("a failure that passes", () => {
  it("is tried again after a pause, and the history says so (C4)", async () => {
    const id = await open();
    const folder = path.join(test.folder, "counts");
    await test.close();
    test = await TestRuntime.open({ agents: [{ folder }] });
    const session = await test.createSession();
    const sent = await test.send(
      session,
      script(fail({ code: 429, message: "slow down", times: 2 }), say("at last")),
    );
    const whole = await test.idle(session);
    expect(agentLines(transcript(whole))).toEqual([
      expect.stringMatching(/^system Trying again: .*slow down/u),
      expect.stringMatching(/^system Trying again: .*slow down/u),
      "agent at last",
    ]);
    // An error that was retried is not the reason why the run ended.
    expect(await test.store.readRun(sent.run.id)).toMatchObject({
      status: "completed",
      attempts: 3,
      error: null,
    });
    expect(id).not.toBe(session);
  });

  it("surfaces when it does not pass (C4)", async () => {
    const id = await open({ limits: { retries: 2 } });
    await test.send(id, script(fail({ code: 503, message: "overloaded" })));
    const { session, messages } = await test.idle(id);
    expect(session.state).toBe("idle");
    expect(messages.map(({ content }) => content["notice"] ?? null)).toEqual([
      null,
      "run_retried",
      "run_retried",
      "run_failed",
    ]);
  });

  it("is not repeated once a tool has been used: that could happen twice (P2)", async () => {
    const id = await open();
    await test.send(
      id,
      script(
        tool({ id: "t", title: "Write", kind: "edit", ends: "completed" }),
        fail({ code: 503, message: "overloaded" }),
      ),
    );
    const { messages } = await test.idle(id);
    expect(messages.map(({ content }) => content["notice"] ?? content.type)).toEqual([
      "text",
      "tool",
      "run_failed",
    ]);
  });

  it("is told from one that stays: a wrong request is not repeated (C4)", async () => {
    const id = await open();
    await test.send(id, script(fail({ code: -32603, message: "bad model" })));
    const { messages } = await test.idle(id);
    expect(messages.at(-1)?.content).toMatchObject({
      notice: "run_failed",
      code: "agent_failed",
      text: expect.stringContaining("bad model"),
    });
    expect(messages).toHaveLength(2);
  });
});

describe("an agent that falls silent", () => {
  it("is ended, and its run with it (C4)", async () => {
    const id = await open({ limits: { silentMs: 200 } });
    await test.send(id, script(say("hm"), ignore("cancel", "sigterm", "eof"), silent()));
    const { messages } = await test.idle(id);
    expect(messages.at(-1)?.content).toMatchObject({
      notice: "run_failed",
      code: "agent_unresponsive",
    });
    await test.untilNoProcess();
  });

  it("is left alone while it is a human who is silent (C4)", async () => {
    const id = await open({ limits: { silentMs: 3_000 } });
    await test.send(id, script(ask({ id: "p", title: "May I?" }), say(" thanks")));
    const waiting = await test.until(id, ({ session }) => session.state === "suspended");
    await new Promise((resolve) => setTimeout(resolve, 4_500));
    const [suspension] = waiting.session.suspensions;
    ok(
      await test.runtime.answer({
        sessionId: id,
        suspensionId: suspension?.id ?? "",
        answer: "allow",
        by: "ada",
      }),
    );
    expect(transcript(await test.idle(id)).at(-1)).toContain("thanks");
  });
});

describe("a session whose repository is not what it was", () => {
  it("does not start an agent outside of the root, however it came there (A14)", async () => {
    const id = await open();
    rmSync(test.repoPath, { recursive: true });
    symlinkSync("/tmp", test.repoPath);
    await test.send(id, script(say("never")));
    const whole = await test.idle(id);
    expect(transcript(whole).slice(1)).toEqual([expect.stringMatching(/^system Failed: /u)]);
    expect(await test.processes()).toEqual([]);
  });

  it("says so when the folder is gone (C4)", async () => {
    const id = await open();
    rmSync(test.repoPath, { recursive: true });
    await test.send(id, script(say("never")));
    expect(transcript(await test.idle(id)).at(-1)).toMatch(/^system Failed: /u);
  });
});

describe("the stderr of an agent", () => {
  it("does not reach the history while all is well", async () => {
    const id = await open();
    writeFileSync(path.join(test.folder, "go"), "");
    await test.send(
      id,
      script(stderr("debug: everything is fine"), waitFor(path.join(test.folder, "go")), say("ok")),
    );
    expect(transcript(await test.idle(id)).slice(1)).toEqual(["agent ok"]);
  });
});
