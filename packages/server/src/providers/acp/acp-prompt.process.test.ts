import { describe, expect, it } from "vitest";
import type { AgentReport } from "../provider.ts";
import { openAgentRig, promptOf, SHORT_TIMES, type AgentRig } from "../testing/agent-rig.ts";
import {
  closeStdout,
  deaf,
  deep,
  doubleResult,
  echo,
  exit,
  fail,
  flood,
  frames,
  huge,
  ignore,
  late,
  noise,
  notify,
  odd,
  pieces,
  raw,
  request,
  say,
  stamp,
  stderr,
  stop,
  stranger,
  strayResult,
  think,
  tool,
  update,
  wait,
  type Step,
} from "../testing/script.ts";

/** Runs a prompt with these steps. */
async function outcomeOf(
  steps: readonly Step[],
  rig: AgentRig = openAgentRig(),
): Promise<{ readonly rig: AgentRig; readonly end: unknown }> {
  const agent = await rig.start();
  const end: unknown = await agent.prompt(promptOf(...steps)).catch((error: unknown) => error);
  return { rig, end };
}

/** A wait for the quiet after a prompt does not end in the time of a test. */
const NEVER_QUIET = { quietMs: 600_000, lateMs: 600_000 };

const completed = { stopReason: "end_turn", usage: null };

describe("a prompt", () => {
  it("ends with the agent's stop reason and usage", async () => {
    const usage = { inputTokens: 3, outputTokens: 4, totalTokens: 7 };
    const { end } = await outcomeOf([stop("max_tokens", usage)]);
    expect(end).toEqual({ stopReason: "max_tokens", usage });
  });

  it("reaches the agent with all parts that it supports", async () => {
    const rig = openAgentRig({ capabilities: { image: true } });
    const agent = await rig.start();
    const image = { type: "image", data: "AAAA", mimeType: "image/png" };
    await agent.prompt({ parts: [{ type: "text", text: "see" }, image], model: null });
    expect(rig.received().at(-1)?.params).toMatchObject({
      prompt: [{ type: "text", text: "see" }, image],
    });
    expect(rig.text()).toBe("echo: see\n(image)");
  });

  it("cannot start while another one runs", async () => {
    const rig = openAgentRig();
    const agent = await rig.start();
    const first = agent.prompt(promptOf(wait(50)));
    await expect(agent.prompt(promptOf())).rejects.toThrow("one prompt at a time");
    await expect(first).resolves.toEqual(completed);
    await expect(agent.prompt(promptOf())).resolves.toEqual(completed);
  });

  it("reports the agent's output in order", async () => {
    const { rig, end } = await outcomeOf([
      think("hm"),
      say("a"),
      tool({ id: "t1", title: "Read x", kind: "read", input: { path: "x" }, output: "text" }),
      say("b"),
      echo(),
    ]);
    expect(end).toEqual(completed);
    const kinds = rig.reports.map(({ report }) => report);
    expect(kinds.filter((kind, index) => kind !== kinds[index - 1])).toEqual([
      "text",
      "tool",
      "text",
    ]);
    expect(rig.text()).toBe("hmabecho: ");
  });

  it("ends open tool calls, completed or not", async () => {
    const open = tool({ id: "t1", title: "Run", kind: "execute", ends: null });
    const endings: readonly Step[] = [stop("end_turn"), fail({ code: 1 }), exit({ code: 1 })];
    for (const ending of endings) {
      const { rig } = await outcomeOf([open, ending]);
      const calls = rig.reports.filter((report) => report.report === "tool");
      expect(calls.at(-1)).toMatchObject({ callId: "t1", ended: true });
    }
  });
});

describe("an agent with unusual output", () => {
  const harmless: readonly (readonly [string, readonly Step[]])[] = [
    ["noise in between", [say("one "), noise("DEBUG x"), raw("\n\r\n"), say("two"), noise("}{")]],
    [
      "half lines",
      [pieces({ text: "one ", how: "halves" }), pieces({ text: "two", how: "halves" })],
    ],
    ["splits inside characters", [pieces({ text: "one ", how: "characters" }), say("two")]],
    ["single bytes", [pieces({ text: "one ", how: "bytes" }), say("two")]],
    ["lines over the limit", [say("one "), huge(9 * 1024 * 1024), say("two")]],
    ["JSON nested too deep", [say("one "), deep(100_000), deep(65), say("two")]],
    ["unknown updates", [say("one "), odd(), say("two")]],
    ["invalid frames", [say("one "), frames(), say("two")]],
    ["updates of another session", [say("one "), stranger("three "), say("two")]],
    ["replies without a request", [say("one "), strayResult(), say("two")]],
    ["two replies", [say("one two"), doubleResult()]],
    [
      "unknown notifications",
      [say("one "), notify("_vendor/x", { a: 1 }), notify("y"), say("two")],
    ],
    ["text on stderr", [stderr("warning\n"), say("one two")]],
  ];
  it.each(harmless)("is understood despite %s", async (_what, steps) => {
    const { rig, end } = await outcomeOf(steps);
    expect(end).toEqual(completed);
    expect(rig.text()).toBe("one two");
  });

  it("is understood despite late updates, if it is known for them", async () => {
    const definition = { speaksLate: true };
    const rig = openAgentRig({ times: { quietMs: 2_000, lateMs: 4_000 }, definition });
    const { end } = await outcomeOf([say("one "), late("two", 5)], rig);
    expect(end).toEqual(completed);
    expect(rig.text()).toBe("one two");
  });

  it("is not waited for after its reply, if it has spoken and no tool call is open", async () => {
    const rig = openAgentRig({ times: NEVER_QUIET });
    const call = tool({ id: "t1", title: "Run" });
    const { end } = await outcomeOf([call, say("one")], rig);
    expect(end).toEqual(completed);
  });

  it("is waited for once one of its provider was late", async () => {
    const rig = openAgentRig({ times: { quietMs: 2_000, lateMs: 4_000 } });
    const other = await rig.start();
    await other.prompt(promptOf(say("one "), late("two ", 5)));
    await rig.reported("text", ({ text }) => text === "two ");
    const { end } = await outcomeOf([say("three "), late("four", 5)], rig);
    expect(end).toEqual(completed);
    expect(rig.text()).toBe("one two three four");
  });

  const unfinished: readonly (readonly [string, readonly Step[]])[] = [
    ["it has said nothing", []],
    ["a tool call is open", [say("one "), tool({ id: "t1", title: "Run", ends: null })]],
  ];
  it.each(unfinished)("is waited for after its reply, if %s", async (_what, steps) => {
    const rig = openAgentRig({ times: { quietMs: 2_000, lateMs: 4_000 } });
    const { end } = await outcomeOf([...steps, late("two", 5)], rig);
    expect(end).toEqual(completed);
    expect(rig.text()).toMatch(/two$/u);
  });

  it("is understood if its output is split inside characters", async () => {
    const text = "Grüße, 世界 🚀 — ";
    const { rig } = await outcomeOf([
      pieces({ text, how: "characters" }),
      pieces({ text, how: "bytes" }),
    ]);
    expect(rig.text()).toBe(text + text);
  });

  it("gets a reply to every unknown request", async () => {
    const { rig, end } = await outcomeOf([
      request("craft/drainMidTurnQueue", {}),
      say(" "),
      request("fs/read_text_file", { path: "/etc/passwd" }),
      say(" "),
      request("elicitation/create", {}),
    ]);
    expect(end).toEqual(completed);
    expect(rig.text()).toBe(
      "craft/drainMidTurnQueue: -32601 fs/read_text_file: -32601 elicitation/create: -32602",
    );
  });

  it("is reported alive by every message", async () => {
    const signs: readonly Step[] = [
      update({ sessionUpdate: "brand_new" }),
      notify("qwen/notify", {}),
      stranger("x"),
    ];
    for (const sign of signs) {
      const rig = openAgentRig();
      const agent = await rig.start();
      rig.all.length = 0;
      await agent.prompt(promptOf(sign));
      expect(rig.all).toEqual([{ report: "alive" }] satisfies AgentReport[]);
    }
  });

  it("is reported alive even if the translator returns nothing", async () => {
    const translator = {
      update: () => [],
      permission: () => null,
      elicitation: () => ({ ok: false, problem: "it is a test" }) as const,
      notice: () => [],
      endPrompt: () => [],
      release: () => [],
      isHolding: false,
      usage: {},
    };
    const { rig } = await outcomeOf(
      [say("x")],
      openAgentRig({ provider: { translator: () => translator } }),
    );
    expect(rig.all).toEqual([{ report: "alive" }]);
  });

  it("is recorded in the journal without its secrets", async () => {
    const rig = openAgentRig({ env: { TOOL_KEY: "sk-very-secret" } });
    const { end } = await outcomeOf(
      [noise("my key is sk-very-secret"), stranger("unheard"), stderr("it is sk-very-secret\n")],
      rig,
    );
    expect(end).toEqual(completed);
    const agent = await rig.start();
    await agent.stop();
    const journal = rig.journal();
    expect(journal).toContain("my key is [redacted]");
    expect(journal).toContain("unheard");
    expect(journal).toContain("it is [redacted]");
    expect(journal).toContain('"direction":"out"');
    expect(journal).not.toContain("sk-very-secret");
  });

  it("waits while its reports are handled (P6)", async () => {
    const gate = Promise.withResolvers<void>();
    const full = Promise.withResolvers<void>();
    let taken = 0;
    const rig = openAgentRig({
      onReport: ({ report }) => {
        if (report !== "text" || (taken += 1) !== 10) return undefined;
        full.resolve();
        return gate.promise;
      },
    });
    const agent = await rig.start();
    const prompting = agent.prompt(promptOf(flood({ count: 5000, text: "x".repeat(100) })));
    await full.promise;
    // Long enough to read everything, if it were read.
    await openAgentRig().start();
    expect(taken).toBe(10);
    gate.resolve();
    await expect(prompting).resolves.toEqual(completed);
    expect(taken).toBe(5000);
  });

  it("may write very much very fast, and nothing is lost", async () => {
    const { rig, end } = await outcomeOf([
      flood({ count: 20_000, text: "x" }),
      flood({ perSecond: 500, seconds: 0.2, text: "y" }),
      stamp(3, 1),
    ]);
    expect(end).toEqual(completed);
    expect(rig.text()).toMatch(/^x{20000}y{100}0:\d+ 1:\d+ 2:\d+ $/);
  });
});

describe("a prompt that fails", () => {
  it("reports a rate limit, and works after it (C4)", async () => {
    const rig = openAgentRig();
    const agent = await rig.start();
    const asked = promptOf(
      fail({ code: -32603, message: "slow down", data: { status: 429, retryAfter: 2 }, times: 2 }),
      say("done"),
    );
    const limited = { code: "agent_rate_limited", isPassing: true, retryAfterMs: 2000 };
    await expect(agent.prompt(asked)).rejects.toMatchObject(limited);
    await expect(agent.prompt(asked)).rejects.toMatchObject(limited);
    await expect(agent.prompt(asked)).resolves.toEqual(completed);
    expect(rig.text()).toBe("done");
  });

  it("contains the agent's error", async () => {
    const { end } = await outcomeOf([fail({ code: -32603, message: "no", data: { why: "x" } })]);
    expect(end).toMatchObject({
      code: "agent_failed",
      message: "Scripted agent: no",
      detail: '{"why":"x"}',
      isPassing: false,
    });
  });

  it("is a required login or a cancellation by the agent's code", async () => {
    expect((await outcomeOf([fail({ code: -32000 })])).end).toMatchObject({
      code: "agent_needs_login",
    });
    expect((await outcomeOf([fail({ code: -32800 })])).end).toEqual({
      stopReason: "cancelled",
      usage: null,
    });
  });

  it("ends with the agent, after all its output, with its exit code and stderr", async () => {
    const rig = openAgentRig();
    const agent = await rig.start();
    await expect(
      agent.prompt(promptOf(flood({ count: 500 }), exit({ code: 7, stderr: "panic: x\n" }))),
    ).rejects.toMatchObject({
      code: "agent_exited",
      message: "Scripted agent exited with code 7",
      detail: "panic: x\n",
      isPassing: false,
    });
    expect(rig.text()).toHaveLength(500);
    expect(await agent.exited).toEqual({ code: 7, signal: null, stderr: "panic: x\n" });
    await expect(agent.prompt(promptOf())).rejects.toMatchObject({ code: "agent_exited" });
  });

  it("ends with an agent that a signal ended", async () => {
    const { end } = await outcomeOf([exit({ signal: "SIGSEGV" })]);
    expect(end).toMatchObject({
      code: "agent_exited",
      message: "Scripted agent was terminated by SIGSEGV",
    });
  });

  it("is no failure if the agent exits right after its reply", async () => {
    const rig = openAgentRig({ at: { prompted: [exit({ code: 0 })] } });
    const agent = await rig.start();
    await expect(agent.prompt(promptOf(say("bye")))).resolves.toEqual(completed);
    expect(await agent.exited).toMatchObject({ code: 0 });
    expect(rig.text()).toBe("bye");
  });

  it("ends if the agent closes its output and keeps running, and the agent is stopped", async () => {
    const rig = openAgentRig({ times: { ...SHORT_TIMES, exitMs: 300 } });
    const agent = await rig.start();
    await expect(
      agent.prompt(promptOf(say("x"), closeStdout(), wait(60_000))),
    ).rejects.toMatchObject({
      code: "agent_unintelligible",
    });
    await agent.exited;
    expect(await rig.leftovers()).toEqual([]);
  });

  it("is the last one of an agent that closed its output, even while it does not exit (C4)", async () => {
    const agent = await openAgentRig({ times: { ...SHORT_TIMES, exitMs: 300 } }).start();
    const steps = [ignore("eof", "sigterm"), closeStdout(), wait(60_000)];
    await expect(agent.prompt(promptOf(...steps))).rejects.toMatchObject({
      code: "agent_unintelligible",
    });
    expect(agent.isGone).toBe(true);
    await agent.exited;
  });

  it("is not buffered without limit for an agent that does not read (P6)", async () => {
    const rig = openAgentRig({ at: { sessionReady: [deaf()] }, times: SHORT_TIMES });
    const agent = await rig.start();
    const text = "x".repeat(20 * 1024 * 1024);
    const end = agent
      .prompt({ parts: [{ type: "text", text }], model: null })
      .catch((error: unknown) => error);
    expect(await agent.cancel()).toBe("ignored");
    await agent.stop({ urgent: true });
    expect(await end).toMatchObject({ code: "agent_exited" });
  });
});
