import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openRaw } from "../../storage/testing/raw-database.ts";
import { hookProgram } from "./hook-command.ts";
import { MAX_READ } from "./resumable-session.ts";
import { preDelegate } from "./pre-delegate.ts";
import { HISTORY_LIMIT } from "./resume-details.ts";
import { hookLog, MINUTE_MS, NOW, openHookRig } from "./testing/hook-rig.ts";

describe("pre-delegate for one session", () => {
  it("says to resume it, with its details in GAIA's form (B4, ruling 22)", async () => {
    const rig = await openHookRig();
    const { id } = await rig.begin({
      agentId: "agent-20260108-180530-abc12345",
      agentName: "terraform-architect",
      purpose: "approval_workflow",
      metadata: { task_id: "T001", tags: ["terraform"] },
      phases: ["investigating", "approval"],
    });
    const input = {
      agent_name: "terraform-architect",
      agent_id: "agent-20260108-180530-abc12345",
      anything: { else: [1, "ü", null] },
    };

    expect(await rig.call(preDelegate, input)).toEqual({
      code: 0,
      output: {
        should_resume: true,
        reason: "session_resumable",
        detail: "session_resumable",
        agent_id: "agent-20260108-180530-abc12345",
        resume_metadata: {
          previous_phase: "approval",
          session_id: id,
          agent_name: "terraform-architect",
          purpose: "approval_workflow",
          created_at: "2026-01-08T18:18:58+00:00",
          last_updated: "2026-01-08T18:19:00+00:00",
          metadata: { task_id: "T001", tags: ["terraform"] },
          session_metadata: { task_id: "T001", tags: ["terraform"] },
          history: [
            {
              from_phase: "initializing",
              to_phase: "investigating",
              timestamp: "2026-01-08T18:18:59+00:00",
              duration_seconds: 1,
            },
            {
              from_phase: "investigating",
              to_phase: "approval",
              timestamp: "2026-01-08T18:19:00+00:00",
              duration_seconds: 1,
            },
          ],
          history_left_out: 0,
          error_count: 0,
          last_error: null,
          status: "active",
          state: "idle",
          suspended_reason: null,
          remove_at: null,
          finalized_at: null,
          duration_seconds: null,
          summary: null,
        },
        original_context: input,
      },
    });
    expect(hookLog(rig.data)).toEqual([
      {
        at: "2026-01-08T18:20:00.000Z",
        hook: "pre-delegate",
        event: null,
        agentId: "agent-20260108-180530-abc12345",
        sessionId: id,
        decision: true,
        reason: "session_resumable",
      },
    ]);
  });

  it.each([
    { phases: ["executing"], agoMs: 0, reason: "not_resume_ready" },
    { phases: ["approval"], agoMs: 31 * MINUTE_MS, reason: "inactive_too_long" },
    { phases: [], agoMs: 0, reason: "not_resume_ready" },
  ] as const)(
    "says not to in GAIA's words, and why in ours: $reason (B4, ruling 22)",
    async ({ phases, agoMs, reason }) => {
      const rig = await openHookRig();
      const { id } = await rig.begin({ phases, agoMs });
      const input = { agent_name: "x", agent_id: id };

      expect(await rig.call(preDelegate, input)).toEqual({
        code: 0,
        output: {
          ...NO,
          reason: "session_not_resumable",
          detail: reason,
          agent_id: id,
          original_context: input,
        },
      });
    },
  );

  it("uses the limits of the config file", async () => {
    const rig = await openHookRig();
    const { id } = await rig.begin({ agoMs: 31 * MINUTE_MS });
    const config = path.join(rig.data, "holdfast.config.json");
    writeFileSync(config, JSON.stringify({ resume: { timeoutMinutes: 60 } }));

    expect(await rig.call(preDelegate, { agent_id: id })).toMatchObject({
      output: { should_resume: true },
    });
  });

  it("runs the checks that the config file requires, without a server", async () => {
    const rig = await openHookRig();
    const { id } = await rig.begin({ agentName: "a", provider: "nobody-has-this" });
    const config = path.join(rig.data, "holdfast.config.json");
    writeFileSync(config, JSON.stringify({ resume: { require: ["provider"] } }));

    expect(await rig.call(preDelegate, { agent_id: id })).toMatchObject({
      output: { should_resume: false, reason: "session_not_resumable", detail: "provider_missing" },
    });
    expect(await rig.call(preDelegate, { agent_name: "a" })).toMatchObject({
      output: { should_resume: false, reason: "no_existing_session", detail: "no_session" },
    });
  });

  it("returns the newest phases of a long history and the number of omitted ones", async () => {
    const rig = await openHookRig();
    const phases = Array.from({ length: HISTORY_LIMIT + 7 }, (_, index) =>
      index % 2 === 0 ? ("planning" as const) : ("approval" as const),
    );
    const { id } = await rig.begin({ phases });
    const { output } = await rig.call(preDelegate, { agent_id: id });

    expect(output).toMatchObject({ resume_metadata: { history_left_out: 7 } });
    expect(output).toHaveProperty("resume_metadata.history.length", HISTORY_LIMIT);
    expect(output).toHaveProperty(
      `resume_metadata.history.${HISTORY_LIMIT - 1}.timestamp`,
      "2026-01-08T18:19:00+00:00",
    );
  });

  it("reports a damaged row as invalid and leaves it unchanged (B5)", async () => {
    const rig = await openHookRig();
    const { id } = await rig.begin();
    const raw = await openRaw({ engine: "sqlite", file: path.join(rig.data, "holdfast.db") });
    await raw.run(`update "AgentSession" set "metadata" = '{' where "id" = '${id}'`);

    expect(await rig.call(preDelegate, { agent_id: id })).toMatchObject({
      code: 0,
      output: { ...NO, detail: "session_invalid", agent_id: id },
    });
    expect(await raw.all(`select "id", "metadata" from "AgentSession"`)).toEqual([
      { id, metadata: "{" },
    ]);
    await raw.close();
  });
});

describe("pre-delegate for an agent name", () => {
  it("finds its most recently active session that should be resumed (B4)", async () => {
    const rig = await openHookRig();
    const agentName = "gitops-operator";
    await rig.begin({ agentName, agoMs: 5 * MINUTE_MS, phases: ["planning"] });
    const meant = await rig.begin({ agentName, agoMs: 2 * MINUTE_MS, phases: ["investigating"] });
    await rig.begin({ agentName, agoMs: MINUTE_MS, phases: ["executing"] });
    await rig.begin({ agentName: "another", agoMs: 0 });
    const archived = await rig.begin({ agentName, agoMs: 0 });
    await archived.perform({ type: "archive" });
    await rig.begin({ agentName, agoMs: 40 * MINUTE_MS });

    expect(await rig.call(preDelegate, { agent_name: agentName })).toMatchObject({
      output: {
        should_resume: true,
        reason: "session_resumable",
        agent_id: meant.id,
        resume_metadata: { previous_phase: "investigating" },
      },
    });
  });

  it("compares the purpose and the task if they are named", async () => {
    const rig = await openHookRig();
    const named = { agentName: "a", purpose: "deploy" };
    const first = await rig.begin({ ...named, metadata: { task_id: "T001" }, agoMs: 9_000 });
    const second = await rig.begin({ ...named, metadata: { task_id: "T002" }, agoMs: 5_000 });
    const found = async (wish: object): Promise<unknown> => {
      const { output } = await rig.call(preDelegate, { agent_name: "a", ...wish });
      return output;
    };

    expect(await found({ task_id: "T001" })).toMatchObject({ agent_id: first.id });
    expect(await found({ purpose: "deploy" })).toMatchObject({ agent_id: second.id });
    expect(await found({ purpose: "deploy", task_id: "T003" })).toMatchObject({ ...NO });
    expect(await found({ purpose: "other" })).toMatchObject({ ...NO, detail: "no_session" });
  });

  it("finds it although many sessions of other agents are in the same phase", async () => {
    const rig = await openHookRig();
    const meant = await rig.begin({ agentName: "a", agoMs: 20 * MINUTE_MS });
    const other = await rig.begin({ agentName: "b" });
    const raw = await openRaw({ engine: "sqlite", file: path.join(rig.data, "holdfast.db") });
    const columns = (await raw.all(`pragma table_info("AgentSession")`)).map(
      ({ name }) => `"${String(name)}"`,
    );
    const copied = columns.map((name) => (name === `"id"` ? `"id" || '-' || n` : name));
    await raw.run(
      `with recursive copies(n) as (select 1 union all select n + 1 from copies where n < ${MAX_READ})
       insert into "AgentSession" (${columns.join()}) select ${copied.join()} from "AgentSession", copies
       where "id" = '${other.id}'`,
    );
    await raw.close();

    expect(await rig.call(preDelegate, { agent_name: "a" })).toMatchObject({
      output: { should_resume: true, agent_id: meant.id },
    });
  });

  it("reports that there is no session (B4)", async () => {
    const rig = await openHookRig();
    const input = { agent_name: "nobody" };

    expect(await rig.call(preDelegate, input)).toEqual({
      code: 0,
      output: {
        ...NO,
        reason: "no_existing_session",
        detail: "no_session",
        agent_id: null,
        original_context: input,
      },
    });
    expect(await rig.call(preDelegate, {})).toMatchObject({ output: { detail: "no_agent_named" } });
  });
});

describe("pre-delegate, called by Claude Code", () => {
  const started = {
    session_id: "5b0c",
    transcript_path: "/home/me/.claude/projects/p/5b0c.jsonl",
    cwd: "/srv/shop/backend",
    hook_event_name: "SubagentStart",
    agent_id: "afecf90fd4125937f",
    agent_type: "terraform-architect",
  };
  const delegating = {
    session_id: "5b0c",
    transcript_path: "/home/me/.claude/projects/p/5b0c.jsonl",
    cwd: "/srv/shop/backend",
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Agent",
    tool_input: { description: "plan", prompt: "Plan it", subagent_type: "terraform-architect" },
    tool_use_id: "toolu_01",
  };

  it("tells a subagent which session to continue and how to record that (B4)", async () => {
    const rig = await openHookRig();
    const agentId = "agent-20260108-180530-abc12345";
    const { command } = hookProgram({});
    await rig.begin({
      agentId,
      agentName: "terraform-architect",
      purpose: "approval_workflow",
      metadata: { findings: ["issue A"] },
      phases: ["investigating", "approval"],
    });

    expect(await rig.call(preDelegate, started)).toEqual({
      code: 0,
      output: {
        reason: "session_resumable",
        hookSpecificOutput: {
          hookEventName: "SubagentStart",
          additionalContext: [
            `Holdfast keeps an open session of the agent terraform-architect: ${agentId}, in phase approval, last active 1 min ago.`,
            "If this work continues it, continue from there instead of starting over. If not, ignore this.",
            "- purpose: approval_workflow",
            "- phases: initializing → investigating → approval",
            '- notes: {"findings":["issue A"]}',
            `To record that you continue it: ${command} update ${agentId} --phase executing --metadata '{"subagent_id":"afecf90fd4125937f"}' --data ${rig.data}`,
            `To read the whole session: ${command} get ${agentId} --data ${rig.data}`,
          ].join("\n"),
        },
      },
    });
  });

  it("tells the delegating agent, for both names of the tool, without a permission decision (B4)", async () => {
    const rig = await openHookRig();
    await rig.begin({ agentName: "terraform-architect" });
    for (const tool_name of ["Agent", "Task"]) {
      const { code, output } = await rig.call(preDelegate, { ...delegating, tool_name });
      expect({ code, output }).toEqual({
        code: 0,
        output: {
          reason: "session_resumable",
          hookSpecificOutput: {
            hookEventName: "PreToolUse",
            additionalContext: expect.stringContaining("Holdfast keeps an open session"),
          },
        },
      });
    }
  });

  it.each([
    {
      what: "of another agent",
      input: { ...started, agent_type: "Explore" },
      reason: "no_session",
    },
    {
      what: "of another tool",
      input: { ...delegating, tool_name: "Bash" },
      reason: "not_a_delegation",
    },
    {
      what: "of another event",
      input: { ...delegating, hook_event_name: "Stop" },
      reason: "not_a_delegation",
    },
  ])("adds nothing to a call $what", async ({ input, reason }) => {
    const rig = await openHookRig();
    await rig.begin({ agentName: "terraform-architect" });

    expect(await rig.call(preDelegate, input)).toEqual({ code: 0, output: { reason } });
  });

  it("ignores sessions of other repositories", async () => {
    const rig = await openHookRig();
    for (const [id, folder] of [
      ["r1", "/srv/other"],
      ["r2", "/srv/shop"],
    ] as const)
      await rig.store.addRepo({ id, path: folder, name: id, createdAt: NOW });
    await rig.begin({ agentName: "terraform-architect", repoId: "r1", agoMs: 0 });
    expect(await rig.call(preDelegate, started)).toEqual({
      code: 0,
      output: { reason: "no_session" },
    });

    const here = await rig.begin({ agentName: "terraform-architect", repoId: "r2" });
    await rig.call(preDelegate, started);
    expect(hookLog(rig.data).at(-1)).toMatchObject({ event: "SubagentStart", sessionId: here.id });
  });

  it("recognizes a restarted subagent by its own ID", async () => {
    const rig = await openHookRig();
    const own = await rig.begin({ agentId: "afecf90fd4125937f", agoMs: 5 * MINUTE_MS });
    await rig.begin({ agentName: "terraform-architect", agoMs: 0 });

    await rig.call(preDelegate, started);
    expect(hookLog(rig.data)).toMatchObject([{ sessionId: own.id, agentId: "afecf90fd4125937f" }]);
  });

  it("shortens the notes of a session and says so", async () => {
    const rig = await openHookRig();
    await rig.begin({ agentName: "terraform-architect", metadata: { long: "x".repeat(50_000) } });
    const { output } = await rig.call(preDelegate, started);
    const context = String(Object(Object(output)["hookSpecificOutput"])["additionalContext"]);

    expect(context.length).toBeLessThan(6_000);
    expect(context).toContain("… (46011 more characters)");
  });
});

const NO = { should_resume: false, resume_metadata: null };
