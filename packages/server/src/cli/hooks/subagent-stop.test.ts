import path from "node:path";
import { describe, expect, it } from "vitest";
import { openRaw } from "../../storage/testing/raw-database.ts";
import { subagentStop } from "./subagent-stop.ts";
import { hookLog, NOW, openHookRig } from "./testing/hook-rig.ts";

describe("subagent-stop", () => {
  it("finalizes the named session with its summary (B4)", async () => {
    const rig = await openHookRig();
    const { id } = await rig.begin({ agentId: "agent-1", phases: ["executing"] });
    const input = { task_info: { agent_id: "agent-1", agent: "a", summary: "12 resources" } };

    expect(await rig.call(subagentStop, input)).toEqual({
      code: 0,
      output: {
        finalized: true,
        reason: "session_finalized",
        agent_id: "agent-1",
        success: true,
        status: "session_finalized",
        session_id: id,
        metrics_captured: false,
        anomalies_detected: 0,
      },
    });
    expect(await rig.session(id)).toMatchObject({
      phase: "completed",
      finalizedAt: NOW,
      summary: "12 resources",
    });
    expect(hookLog(rig.data)).toEqual([
      {
        at: "2026-01-08T18:20:00.000Z",
        hook: "subagent-stop",
        event: null,
        agentId: "agent-1",
        sessionId: id,
        decision: true,
        reason: "session_finalized",
      },
    ]);
  });

  it.each([
    { report: {}, phase: "completed" },
    { report: { status: "success" }, phase: "completed" },
    { report: { outcome: "abandoned" }, phase: "abandoned" },
    { report: { status: "cancelled" }, phase: "abandoned" },
    { report: { status: "error" }, phase: "failed" },
    { report: { exit_code: 1 }, phase: "failed" },
    { report: { exit_code: 0 }, phase: "completed" },
    { report: { error: "it broke" }, phase: "failed" },
    { report: { error: null, is_error: false }, phase: "completed" },
    { report: { outcome: "completed", status: "error" }, phase: "completed" },
    { report: { status: "constructor" }, phase: "completed" },
  ] as const)("finalizes it as $phase for $report", async ({ report, phase }) => {
    const rig = await openHookRig();
    const { id } = await rig.begin({ phases: ["executing"] });

    await rig.call(subagentStop, { task_info: { agent_id: id, ...report } });
    expect(await rig.session(id)).toMatchObject({ phase });
  });

  it("does not finalize a session whose agent only pauses", async () => {
    const rig = await openHookRig();
    for (const phase of ["approval", "planning", "investigating"] as const)
      for (const status of ["paused", "waiting"]) {
        const { id } = await rig.begin({ phases: [phase] });
        expect(await rig.call(subagentStop, { task_info: { agent_id: id, status } })).toMatchObject(
          {
            code: 0,
            output: { finalized: false, reason: "session_paused", agent_id: id, success: true },
          },
        );
        expect(await rig.session(id)).toMatchObject({ phase, finalizedAt: null });
      }
  });

  it("gives the same answer when called again, and changes nothing (B4)", async () => {
    const rig = await openHookRig();
    const { id } = await rig.begin({ phases: ["executing"] });
    await rig.call(subagentStop, { task_info: { agent_id: id, summary: "first" } });
    const before = await rig.session(id);

    expect(
      await rig.call(subagentStop, {
        task_info: { agent_id: id, outcome: "failed", summary: "second" },
      }),
    ).toMatchObject({
      code: 0,
      output: { finalized: true, reason: "already_finalized", agent_id: id },
    });
    expect(
      await rig.call(subagentStop, { task_info: { agent_id: id, status: "paused" } }),
    ).toMatchObject({ output: { finalized: true, reason: "already_finalized" } });
    expect(await rig.session(id)).toEqual(before);
  });

  it("finalizes a session in phase failed as failed", async () => {
    const rig = await openHookRig();
    const { id } = await rig.begin({ phases: ["executing", "failed"] });
    expect(await rig.session(id)).toMatchObject({ phase: "failed", finalizedAt: null });

    expect(await rig.call(subagentStop, { agent_id: id, summary: "no access" })).toMatchObject({
      output: { finalized: true, reason: "session_finalized" },
    });
    expect(await rig.session(id)).toMatchObject({
      phase: "failed",
      finalizedAt: NOW,
      summary: "no access",
    });
  });

  it("does nothing for an unknown session, and says so (B4)", async () => {
    const rig = await openHookRig();
    const { id } = await rig.begin({ phases: ["executing"] });

    expect(await rig.call(subagentStop, { task_info: { agent_id: "nobody" } })).toMatchObject({
      code: 0,
      output: { finalized: false, reason: "session_not_found", agent_id: "nobody" },
    });
    for (const input of [{}, { task_info: [] }, { task_info: { agent_id: 7 } }, { agent_id: " " }])
      expect(await rig.call(subagentStop, input)).toMatchObject({
        code: 0,
        output: { finalized: false, reason: "no_agent_id", agent_id: null },
      });
    expect(await rig.session(id)).toMatchObject({ phase: "executing" });
  });

  it("reports a damaged row as invalid and leaves it unchanged (B5)", async () => {
    const rig = await openHookRig();
    const { id } = await rig.begin();
    const raw = await openRaw({ engine: "sqlite", file: path.join(rig.data, "holdfast.db") });
    await raw.run(`update "AgentSession" set "phase" = 'nonsense' where "id" = '${id}'`);

    expect(await rig.call(subagentStop, { agent_id: id })).toMatchObject({
      code: 0,
      output: { finalized: false, reason: "session_invalid", agent_id: id },
    });
    expect(await raw.all(`select "phase" from "AgentSession"`)).toEqual([{ phase: "nonsense" }]);
    await raw.close();
  });

  it("shortens a long summary and says by how much", async () => {
    const rig = await openHookRig();
    const { id } = await rig.begin({ phases: ["executing"] });
    await rig.call(subagentStop, { agent_id: id, summary: "x".repeat(30_000) });

    expect(await rig.session(id)).toMatchObject({
      summary: `${"x".repeat(20_000)}… (10000 more characters)`,
    });
  });
});

describe("subagent-stop, called by Claude Code", () => {
  const stopped = {
    session_id: "5b0c",
    transcript_path: "/home/me/.claude/projects/p/5b0c.jsonl",
    cwd: "/srv/shop",
    hook_event_name: "SubagentStop",
    stop_hook_active: false,
    agent_id: "afecf90fd4125937f",
    agent_type: "terraform-architect",
    agent_transcript_path:
      "/home/me/.claude/projects/p/5b0c/subagents/agent-afecf90fd4125937f.jsonl",
    last_assistant_message: "Applied.",
    background_tasks: [],
    session_crons: [],
  };

  it("finalizes the session with the ID of the subagent (B4)", async () => {
    const rig = await openHookRig();
    const { id } = await rig.begin({ agentId: stopped.agent_id, phases: ["executing"] });

    expect(await rig.call(subagentStop, stopped)).toEqual({
      code: 0,
      output: { finalized: true, reason: "session_finalized", agent_id: stopped.agent_id },
    });
    expect(await rig.session(id)).toMatchObject({ phase: "completed", summary: "Applied." });
  });

  it("finalizes the session that the subagent recorded as its own", async () => {
    const rig = await openHookRig();
    const agentName = stopped.agent_type;
    const other = await rig.begin({ agentName, phases: ["executing"] });
    const taken = await rig.begin({
      agentName,
      agentId: "agent-1",
      phases: ["approval", "executing"],
      metadata: { subagent_id: stopped.agent_id },
    });

    expect(await rig.call(subagentStop, stopped)).toMatchObject({
      output: { finalized: true, agent_id: "agent-1" },
    });
    expect(await rig.session(taken.id)).toMatchObject({ phase: "completed" });
    expect(await rig.session(other.id)).toMatchObject({ phase: "executing" });
  });

  it("does not finalize a resumable session, since its subagent waits for a person", async () => {
    const rig = await openHookRig();
    const { id } = await rig.begin({ agentId: stopped.agent_id, phases: ["approval"] });

    expect(await rig.call(subagentStop, stopped)).toMatchObject({
      output: { finalized: false, reason: "session_paused" },
    });
    expect(await rig.session(id)).toMatchObject({ phase: "approval", resumeReady: true });
  });

  it("does nothing for any other event, even if it names an agent", async () => {
    const rig = await openHookRig();
    const { id } = await rig.begin({ agentId: stopped.agent_id, phases: ["executing"] });

    expect(
      await rig.call(subagentStop, { ...stopped, hook_event_name: "PostToolUse" }),
    ).toMatchObject({ output: { finalized: false, reason: "not_a_stop" } });
    expect(await rig.session(id)).toMatchObject({ phase: "executing" });
  });
});
