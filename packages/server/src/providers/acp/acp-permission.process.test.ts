import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openAgentRig, promptOf } from "../testing/agent-rig.ts";
import {
  ask,
  askAll,
  exit,
  request,
  say,
  stop,
  update,
  waitFor,
  type Step,
} from "../testing/script.ts";

const remove = { id: "t1", title: "rm -rf build", input: { command: "rm -rf build" } };
const completed = { stopReason: "end_turn", usage: null };

describe("a permission", () => {
  it("is reported with all details, and answered once (P7)", async () => {
    const rig = openAgentRig();
    const agent = await rig.start();
    const prompting = agent.prompt(promptOf(ask(remove)));
    const { requestId, request } = await rig.reported("permission");
    expect(request).toEqual({
      title: "rm -rf build",
      toolCallId: "t1",
      kind: "execute",
      input: { command: "rm -rf build" },
      options: [
        { optionId: "allow", name: "Allow", kind: "allow_once" },
        { optionId: "reject", name: "Reject", kind: "reject_once" },
      ],
    });
    expect(agent.answer("of somebody else", { outcome: "cancelled" })).toBe(false);
    expect(agent.answer(requestId, { outcome: "selected", optionId: "reject" })).toBe(true);
    expect(agent.answer(requestId, { outcome: "selected", optionId: "allow" })).toBe(false);
    expect(await prompting).toEqual(completed);
    expect(rig.text()).toBe("answer: reject");
    expect(rig.reports.filter(({ report }) => report === "withdrawn")).toEqual([]);
  });

  it("reports its tool call first, even if the agent did not announce it", async () => {
    const rig = openAgentRig();
    const agent = await rig.start();
    const prompting = agent.prompt(promptOf(ask(remove)));
    const { requestId } = await rig.reported("permission");
    expect(rig.reports.map(({ report }) => report)).toEqual(["tool", "permission"]);
    agent.answer(requestId, { outcome: "selected", optionId: "allow" });
    await prompting;
  });

  it("has the same fingerprint and another ID if it is asked again", async () => {
    const rig = openAgentRig();
    const agent = await rig.start();
    const prompting = agent.prompt(
      promptOf(askAll(remove, { ...remove, id: "t2" }, { ...remove, id: "t3", input: { a: 1 } })),
    );
    await expect
      .poll(() => rig.reports.filter(({ report }) => report === "permission"))
      .toHaveLength(3);
    const requests = rig.reports.flatMap((report) =>
      report.report === "permission" ? [report] : [],
    );
    const fingerprints = requests.map(({ fingerprint }) => fingerprint);
    expect(fingerprints[0]).toBe(fingerprints[1]);
    expect(fingerprints[2]).not.toBe(fingerprints[0]);
    expect(new Set(requests.map(({ requestId }) => requestId)).size).toBe(3);
    for (const [index, { requestId }] of requests.toReversed().entries()) {
      const optionId = index === 0 ? "reject" : "allow";
      expect(agent.answer(requestId, { outcome: "selected", optionId })).toBe(true);
    }
    await prompting;
    expect(rig.text()).toBe("answers: allow, allow, reject");
  });

  it("is withdrawn if the agent cancels it, and can no longer be answered", async () => {
    const rig = openAgentRig();
    const gate = path.join(rig.folder, "gate");
    const agent = await rig.start();
    const prompting = agent.prompt(promptOf(ask({ ...remove, withdrawWhen: gate })));
    const { requestId } = await rig.reported("permission");
    writeFileSync(gate, "");
    expect(await rig.reported("withdrawn")).toEqual({ report: "withdrawn", requestId });
    expect(agent.answer(requestId, { outcome: "selected", optionId: "allow" })).toBe(false);
    expect(await prompting).toEqual(completed);
    await expect.poll(() => rig.received().at(-1)).toMatchObject({ error: { code: -32800 } });
  });

  it("is withdrawn if the prompt ends first, and the agent still gets a reply", async () => {
    const rig = openAgentRig();
    const agent = await rig.start();
    // The agent asks outside the script, and does not wait for the answer.
    const raw = JSON.stringify({
      jsonrpc: "2.0",
      id: "q",
      method: "session/request_permission",
      params: {
        sessionId: "any",
        toolCall: { toolCallId: "t1", title: "x" },
        options: [{ optionId: "a", name: "A", kind: "allow_once" }],
      },
    });
    const end = await agent.prompt(promptOf({ step: "raw", text: `${raw}\n` }, stop("end_turn")));
    expect(end).toEqual(completed);
    const { requestId } = await rig.reported("permission");
    expect(rig.reports.filter(({ report }) => report === "withdrawn")).toEqual([
      { report: "withdrawn", requestId },
    ]);
    expect(agent.answer(requestId, { outcome: "selected", optionId: "a" })).toBe(false);
    await expect
      .poll(() => rig.received().at(-1))
      .toMatchObject({ id: "q", result: { outcome: { outcome: "cancelled" } } });
  });

  it("ends with the agent, without a report", async () => {
    const rig = openAgentRig();
    const agent = await rig.start();
    const prompting = agent.prompt(promptOf(ask({ ...remove, withdrawAfterMs: 60_000 })));
    const { requestId } = await rig.reported("permission");
    process.kill(agent.pid, "SIGKILL");
    await expect(prompting).rejects.toMatchObject({ code: "agent_exited" });
    expect(rig.reports.filter(({ report }) => report === "withdrawn")).toEqual([]);
    expect(agent.answer(requestId, { outcome: "selected", optionId: "allow" })).toBe(false);
  });

  it("is cancelled, never granted, if nobody can be asked (P7)", async () => {
    const base = openAgentRig();
    const gate = path.join(base.folder, "gate");
    const rig = openAgentRig({
      at: { session: [ask(remove)], prompted: [waitFor(gate), ask(remove)] },
    });
    const agent = await rig.start();
    await agent.prompt(promptOf(say("x")));
    writeFileSync(gate, "");
    const cancelled = { outcome: { outcome: "cancelled" } };
    await expect
      .poll(() => rig.received().filter(({ result }) => result !== undefined))
      .toMatchObject([{ result: cancelled }, { result: cancelled }]);
    expect(rig.reports.filter(({ report }) => report === "permission")).toEqual([]);
  });

  it("without options is refused", async () => {
    const rig = openAgentRig();
    const agent = await rig.start();
    const params: readonly unknown[] = [null, {}, { options: [] }, { options: "all" }];
    const steps = params.flatMap((one): Step[] => [
      request("session/request_permission", one),
      say(" "),
    ]);
    await agent.prompt(promptOf(...steps));
    expect(rig.text()).toBe("session/request_permission: -32602 ".repeat(4));
  });

  it("is cancelled beyond the limit of pending requests (P6)", async () => {
    const rig = openAgentRig();
    const agent = await rig.start();
    const asks = Array.from({ length: 150 }, (_, index) => ({ ...remove, id: `t${index}` }));
    const prompting = agent.prompt(promptOf(askAll(...asks)));
    await expect
      .poll(() => rig.received().filter(({ result }) => result !== undefined))
      .toHaveLength(50);
    const requests = rig.reports.flatMap((report) =>
      report.report === "permission" ? [report] : [],
    );
    expect(requests).toHaveLength(100);
    for (const { requestId } of requests) {
      agent.answer(requestId, { outcome: "selected", optionId: "allow" });
    }
    expect(await prompting).toEqual(completed);
  });

  it("may belong to a tool call that was announced before", async () => {
    const rig = openAgentRig();
    const agent = await rig.start();
    const announcement = {
      sessionUpdate: "tool_call",
      toolCallId: "t1",
      title: "Write x",
      kind: "edit",
    };
    const prompting = agent.prompt(
      promptOf(update(announcement), ask({ ...remove, kind: "edit" }), exit()),
    );
    const { requestId, request } = await rig.reported("permission");
    expect(request).toMatchObject({ toolCallId: "t1", kind: "edit" });
    agent.answer(requestId, { outcome: "cancelled" });
    await expect(prompting).rejects.toMatchObject({ code: "agent_exited" });
    expect(rig.text()).toBe("answer: cancelled");
  });
});
