import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  child,
  script,
  say,
  tell,
  think,
  tool,
  update,
  wait,
  waitFor,
  write,
  echo,
  stop,
} from "../../providers/testing/script.ts";
import { ok, TestRuntime, transcript } from "../testing/test-runtime.ts";

let test: TestRuntime;
beforeEach(async () => {
  test = await TestRuntime.open();
});
afterEach(() => test.close());

const gate = (name: string): string => path.join(test.folder, name);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("a message to an idle session", () => {
  it("is stored before it is answered for, and its run works on by itself (A6, C1)", async () => {
    const id = await test.createSession();
    expect(await test.processes()).toEqual([]);
    const sent = await test.send(id, script(waitFor(gate("go")), say("done")));
    const { session, messages } = await test.read(id);
    expect([session.state, messages.map((message) => message.id)]).toEqual([
      "running",
      [sent.messageId],
    ]);
    expect(sent).toMatchObject({
      queued: false,
      position: null,
      waitsFor: null,
      run: { status: "running", provider: "scripted", messageId: sent.messageId },
    });
    writeFileSync(gate("go"), "");
    const after = await test.idle(id);
    expect(transcript(after).slice(1)).toEqual(["agent done"]);
    const run = await test.store.readRun(sent.run.id);
    expect(run).toMatchObject({ status: "completed", stopReason: "end_turn", attempts: 1 });
  });

  it("starts the agent lazily and keeps it for the next one (C1)", async () => {
    const id = await test.createSession();
    await test.send(id, script(say("one")));
    await test.idle(id);
    const [first] = await test.processes();
    await test.send(id, script(say("two")));
    await test.idle(id);
    expect(await test.processes()).toEqual([first]);
  });

  it("streams text as one message that grows until it is complete (A3)", async () => {
    const id = await test.createSession();
    await test.send(id, script(say("Hel"), say("lo "), waitFor(gate("go")), say("world")));
    const growing = await test.until(id, ({ messages }) => messages.length === 2);
    const half = await test.until(id, ({ messages }) => messages[1]?.content["text"] === "Hello ");
    expect(growing.messages[1]?.id).toBe(half.messages[1]?.id);
    expect(half.messages[1]).toMatchObject({ content: { partial: true }, complete: false });
    writeFileSync(gate("go"), "");
    const whole = await test.idle(id);
    expect(whole.messages.slice(1).map(({ content, complete }) => [content, complete])).toEqual([
      [{ type: "text", text: "Hello world", partial: false }, true],
    ]);
  });

  it("A3, ruling 19: leaves thoughts, plans and tools in the order they came; plans and tools are system messages", async () => {
    const plan = (status: string) =>
      update({
        sessionUpdate: "plan",
        entries: [{ content: "look", priority: "high", status }],
      });
    const id = await test.createSession();
    await test.send(
      id,
      script(
        think("hm"),
        plan("in_progress"),
        say("I look."),
        tool({
          id: "t1",
          title: "Read file",
          kind: "read",
          input: { path: "a" },
          output: "text",
          ends: "completed",
        }),
        say("Done."),
        plan("completed"),
      ),
    );
    const { messages } = await test.idle(id);
    expect(messages.every(({ complete }) => complete)).toBe(true);
    expect(messages.map(({ role, content }) => [role, content])).toMatchObject([
      ["user", { type: "text", partial: false }],
      ["agent", { type: "thought", text: "hm", partial: false }],
      ["system", { type: "plan", steps: [{ content: "look", status: "completed" }] }],
      ["agent", { type: "text", text: "I look.", partial: false }],
      [
        "system",
        {
          type: "tool",
          tool: "read",
          args: { path: "a" },
          result: "text",
          title: "Read file",
          status: "completed",
        },
      ],
      ["agent", { type: "text", text: "Done.", partial: false }],
    ]);
  });

  it("records usage and the reason to stop with the run", async () => {
    const id = await test.createSession();
    const sent = await test.send(
      id,
      script(stop("max_tokens", { inputTokens: 10, outputTokens: 5, totalTokens: 15 })),
    );
    await test.idle(id);
    expect(await test.store.readRun(sent.run.id)).toMatchObject({
      stopReason: "max_tokens",
      usage: { inputTokens: 10, outputTokens: 5 },
    });
  });
});

describe("a message to a busy session", () => {
  async function busy(): Promise<string> {
    const id = await test.createSession();
    await test.send(id, script(say("working"), waitFor(gate("go")), say("done")));
    await test.until(id, ({ messages }) => messages.length === 2);
    return id;
  }

  it("waits in the queue and is delivered in order (C6)", async () => {
    const id = await busy();
    const second = await test.send(id, script(say("two")));
    const third = await test.send(id, script(say("three")));
    expect([second, third].map(({ queued, position }) => ({ queued, position }))).toEqual([
      { queued: true, position: 0 },
      { queued: true, position: 1 },
    ]);
    expect(second.waitsFor).toContain("A run is active");
    writeFileSync(gate("go"), "");
    const whole = await test.idle(id);
    expect(transcript(whole).filter((line) => line.startsWith("agent"))).toEqual([
      "agent workingdone",
      "agent two",
      "agent three",
    ]);
  });

  it("can be edited, moved and withdrawn while it waits (C6)", async () => {
    const id = await busy();
    const [a, b, c] = [
      await test.send(id, script(say("a"))),
      await test.send(id, script(say("b"))),
      await test.send(id, script(say("c"))),
    ];
    const content = { type: "text", text: script(say("c, edited")) };
    const edited = ok(
      await test.runtime.editQueued({
        sessionId: id,
        messageId: c.messageId,
        content,
        position: 0,
      }),
    );
    expect(edited.queue.map(({ messageId }) => messageId)).toEqual([
      c.messageId,
      a.messageId,
      b.messageId,
    ]);
    ok(await test.runtime.withdrawQueued({ sessionId: id, messageId: a.messageId }));
    writeFileSync(gate("go"), "");
    const whole = await test.idle(id);
    expect(
      transcript(whole)
        .filter((line) => line.startsWith("agent"))
        .slice(1),
    ).toEqual(["agent c, edited", "agent b"]);
  });

  it("is refused when it asked not to wait (C6)", async () => {
    const id = await busy();
    const refused = await test.runtime.sendMessage(test.message(id, "now", { delivery: "reject" }));
    expect(refused).toMatchObject({
      ok: false,
      refusal: { code: "session_busy", status: "active", state: "running" },
    });
    writeFileSync(gate("go"), "");
    await test.idle(id);
  });

  it("interrupts: the run is cancelled, and it comes next, before others (C6)", async () => {
    const id = await busy();
    await test.send(id, script(say("waited")));
    await test.send(id, script(say("first")), { delivery: "interrupt" });
    const whole = await test.idle(id);
    expect(transcript(whole).slice(1)).toEqual([
      "agent working",
      // Before the message that interrupted.
      "system Cancelled: interrupted by a new message",
      `user ${script(say("first"))}`,
      "agent first",
      `user ${script(say("waited"))}`,
      "agent waited",
    ]);
    const [, , notice, first] = whole.messages;
    expect(notice?.at).toBeLessThanOrEqual(first?.at ?? 0);
  });

  it("A2, A5: keeps the time it was acknowledged at, and is found since the time it was delivered at", async () => {
    const id = await busy();
    const sent = await test.send(id, script(say("two")));
    // Something is said between the two.
    await expect.poll(() => Date.now()).toBeGreaterThan(sent.at);
    writeFileSync(gate("go"), "");
    const { messages } = await test.idle(id);
    const queued = messages.find((message) => message.id === sent.messageId);
    expect(queued?.at).toBe(sent.at);
    expect(messages.map(({ seq }) => seq)).toEqual(
      messages.map(({ seq }) => seq).toSorted((one, other) => one - other),
    );
    const run = await test.store.readRun(sent.run.id);
    const startedAt = run?.startedAt ?? 0;
    expect(startedAt).toBeGreaterThan(sent.at);
    // Who had read everything just before it was delivered is given it, by time and by cursor.
    const since = await test.store.readMessages({ sessionId: id, since: startedAt - 1 });
    expect(since.map((message) => message.id)).toContain(sent.messageId);
    const later = await test.store.readMessages({ sessionId: id, since: startedAt + 60_000 });
    expect(later).toEqual([]);
  });

  it("is kept while the session holds messages, and delivered when it opens (C6)", async () => {
    const id = await test.createSession();
    ok(await test.runtime.updateSession({ sessionId: id, changes: { delivery: "hold" } }));
    const sent = await test.send(id, script(say("late")));
    expect([sent.queued, sent.waitsFor]).toEqual([true, expect.stringContaining("holds")]);
    expect(await test.processes()).toEqual([]);
    ok(await test.runtime.updateSession({ sessionId: id, changes: { delivery: "open" } }));
    expect(transcript(await test.idle(id)).slice(1)).toEqual(["agent late"]);
    ok(await test.runtime.updateSession({ sessionId: id, changes: { delivery: "reject" } }));
    expect(await test.runtime.sendMessage(test.message(id, "no"))).toMatchObject({
      refusal: { code: "delivery_rejected" },
    });
  });
});

describe("a request that is repeated with its key", () => {
  const idempotency = { key: "k1", requestHash: "h1" };

  it("sends one message and gets the same answer (A6)", async () => {
    const id = await test.createSession();
    const send = () =>
      test.runtime.sendMessage(test.message(id, script(say("once")), { idempotency }));
    const [first, second] = await Promise.all([send(), send()]);
    await test.idle(id);
    const third = await send();
    expect(second).toEqual(first);
    expect(third).toEqual(first);
    expect(transcript(await test.read(id)).filter((line) => line.startsWith("agent"))).toEqual([
      "agent once",
    ]);
    const other = await test.runtime.sendMessage(
      test.message(id, "other", { idempotency: { key: "k1", requestHash: "h2" } }),
    );
    expect(other).toMatchObject({ refusal: { code: "idempotency_key_reused" } });
  });

  it("creates one session, with its first message, and gets the same answer", async () => {
    const message = { type: "text", text: script(say("hi")) };
    const create = () => test.runtime.createSession(test.newSession({ idempotency, message }));
    const first = ok(await create());
    const whole = await test.idle(first.session.id);
    expect(await create()).toEqual(first);
    expect((await test.runtime.listSessions({ limit: 10 })).total).toBe(1);
    expect(transcript(whole).slice(1)).toEqual(["agent hi"]);
  });
});

describe("an agent", () => {
  it("works in the repository's real folder and sees nothing of the server (A14)", async () => {
    const id = await test.createSession();
    await test.send(id, script({ step: "tell", what: "cwd" }, { step: "tell", what: "variables" }));
    const [, said] = transcript(await test.idle(id));
    expect(said).toContain(test.repoPath);
    expect(said).not.toMatch(/HOLDFAST_DATA|HOLDFAST_TOKEN|VITEST/u);
  });

  it("names the session until a person does", async () => {
    const titled = (title: string) => update({ sessionUpdate: "session_info_update", title });
    const id = await test.createSession();
    await test.send(id, script(titled("Fix the login"), say("x")));
    expect((await test.idle(id)).session.title).toBe("Fix the login");
    await test.send(id, script(titled("Other"), say("x")));
    expect((await test.idle(id)).session.title).toBe("Other");
    ok(await test.runtime.updateSession({ sessionId: id, changes: { title: "Mine" } }));
    await test.send(id, script(titled("Again"), say("x")));
    expect((await test.idle(id)).session.title).toBe("Mine");
  });

  it("gets what was said before when it has to start afresh, and the history says so", async () => {
    const id = await test.createSession();
    await test.send(id, `${script(say("I will remember."))}\nmy name is Ada`);
    await test.idle(id);
    await test.killAgents();
    await test.send(id, `who am I?\n${script(echo())}`);
    const whole = await test.idle(id);
    const lines = transcript(whole);
    expect(lines).toContain(
      "system A new agent was started. It was briefed with all 2 earlier messages.",
    );
    expect(lines.at(-1)).toContain("my name is Ada");
  });

  it("is another one when the last has just died, and its last words are still awaited", async () => {
    const id = await test.createSession();
    await test.send(id, script(tell("pid"), child({ how: "group", holdsStderr: true })));
    const pid = Number(/pid: (\d+)/u.exec(transcript(await test.idle(id)).join("\n"))?.[1]);
    process.kill(pid, "SIGKILL");
    while (isAlive(pid)) await pause(1);
    await test.send(id, script(say("here")));
    expect(transcript(await test.idle(id)).at(-1)).toBe("agent here");
  });

  it("is not told twice what it can take up by itself", async () => {
    await test.close();
    test = await TestRuntime.open({
      agents: [{ folder: path.join(test.folder, "memory"), capabilities: { resume: true } }],
    });
    const id = await test.createSession();
    await test.send(id, `${script(say("ok"))}\nremember 42`);
    await test.idle(id);
    expect((await test.read(id)).session).toMatchObject({ supportsResume: true });
    await test.killAgents();
    await test.send(id, script({ step: "recall" }));
    const lines = transcript(await test.idle(id));
    expect(lines.at(-1)).toContain("remember 42");
    expect(lines.some((line) => line.includes("briefed"))).toBe(false);
  });
});

describe("a fork", () => {
  it("is a new idle session with the history up to a message, and leaves the original alone", async () => {
    const id = await test.createSession({ title: "original" });
    await test.send(id, script(say("one")));
    await test.idle(id);
    await test.send(id, script(say("two")));
    const original = await test.idle(id);
    const atMessage = original.messages[1]?.id ?? "";
    const { session } = ok(await test.runtime.fork({ sessionId: id, atMessage }));
    expect(session).toMatchObject({
      title: "original",
      state: "idle",
      forkedFrom: { sessionId: id, atMessage },
    });
    const forked = await test.read(session.id);
    expect(forked.messages.map(({ content, at }) => [content, at])).toEqual(
      original.messages.slice(0, 2).map(({ content, at }) => [content, at]),
    );
    expect(await test.read(id)).toEqual(original);
    const missing = await test.runtime.fork({ sessionId: id, atMessage: "nothing" });
    expect(missing).toMatchObject({ refusal: { code: "message_not_found" } });
  });
});

describe("a file", () => {
  it("written by an agent is in the repository", async () => {
    const id = await test.createSession();
    await test.send(id, script(write("made.txt", "by the agent"), wait(1)));
    await test.idle(id);
    expect(existsSync(path.join(test.repoPath, "made.txt"))).toBe(true);
  });
});
