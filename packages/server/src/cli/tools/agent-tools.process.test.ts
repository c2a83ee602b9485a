import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Json } from "../../domain/json.ts";
import type { Suspension } from "../../domain/suspension.ts";
import { ask, mcp, say, script, waitFor, write } from "../../providers/testing/script.ts";
import { ok, transcript } from "../../runtime/testing/test-runtime.ts";
import { ToolWorld } from "../testing/tool-world.ts";
import { openAgentTools } from "./agent-tools.ts";

let world: ToolWorld;
let id: string;
beforeEach(async () => {
  world = await ToolWorld.open({
    agents: [{}, { name: "plain", definition: { tools: false } }],
  });
  id = await world.test.createSession();
});
afterEach(() => world.close());

async function asked(count = 1): Promise<readonly Suspension[]> {
  const { session } = await world.test.until(
    id,
    (whole) => whole.session.suspensions.length === count,
  );
  return session.suspensions;
}

/** The run has been left by its agent, which has ended its prompt. */
async function left(): Promise<void> {
  await world.test.until(id, ({ messages }) =>
    messages.some(({ content, complete }) => complete && content["text"] === "done for now"),
  );
}

async function answer(suspension: Suspension | undefined, given: Json): Promise<void> {
  const { id: suspensionId = "" } = suspension ?? {};
  ok(await world.test.runtime.answer({ sessionId: id, suspensionId, answer: given, by: "ada" }));
}

const QUESTION = { question: "Which database?", options: ["SQLite", "PostgreSQL"] };

describe("a question of an agent", () => {
  it("suspends the run, and the live agent gets the answer as its next prompt (C3)", async () => {
    await world.test.send(id, script(mcp("ask_human", QUESTION), say("done for now", "m2")));
    const [suspension] = await asked();
    await left();
    const [pid] = await world.test.processes();
    const waiting = await world.test.read(id);
    expect(waiting.session).toMatchObject({ status: "active", state: "suspended" });
    await answer(suspension, "PostgreSQL");
    const whole = await world.test.idle(id);
    expect(transcript(whole).at(-1)).toBe(
      [
        "agent echo: What you were waiting for:",
        '- You asked: "Which database?" The answer: PostgreSQL',
        "Go on with the work.",
      ].join("\n"),
    );
    expect(await world.test.processes()).toEqual([pid]);
    const [run] = await world.test.store.readRuns(id);
    expect(run).toMatchObject({ status: "completed", attempts: 2, memory: { how: "live" } });
  });

  it("survives the server: answered after a restart, the run continues and completes (C3)", async () => {
    await world.test.send(id, script(mcp("ask_human", QUESTION), say("done for now", "m2")));
    const [suspension] = await asked();
    await left();
    await world.restart();
    await world.test.untilNoProcess();
    expect((await world.test.read(id)).session).toMatchObject({
      status: "active",
      state: "suspended",
      suspensions: [{ id: suspension?.id, kind: "question" }],
    });
    expect(await world.test.runtime.listSuspensions()).toMatchObject([
      { id: suspension?.id, sessionId: id, request: { title: "Which database?" } },
    ]);
    await answer(suspension, { engine: "PostgreSQL", version: 18 });
    const whole = await world.test.idle(id);
    expect(whole.session).toMatchObject({ status: "active", state: "idle" });
    expect(transcript(whole).at(-1)).toContain(
      'You asked: "Which database?" The answer: {"engine":"PostgreSQL","version":18}',
    );
    const runs = await world.test.store.readRuns(id);
    expect(runs.map(({ status, stopReason }) => [status, stopReason])).toEqual([
      ["completed", "end_turn"],
    ]);
  });

  it("reaches the agent although it was answered before the prompt ended (C3)", async () => {
    const gate = path.join(world.test.folder, "gate");
    await world.test.send(id, script(mcp("ask_human", QUESTION), waitFor(gate), say(" done")));
    const [suspension] = await asked();
    await answer(suspension, "SQLite");
    await world.test.until(id, ({ session }) => session.state === "running");
    expect(transcript(await world.test.read(id)).join("\n")).not.toContain("The answer");
    await world.test.send(id, script(say("after it")));
    writeFileSync(gate, "");
    const lines = transcript(await world.test.idle(id));
    expect(lines.at(-3)).toContain("The answer: SQLite");
    expect(lines.at(-1)).toBe("agent after it");
  });

  it("asked together with another one and a permission continues when all are answered, each delivered once (C3)", async () => {
    await world.test.send(
      id,
      script(
        mcp("ask_human", { question: "First?" }),
        ask({ id: "t1", title: "May I?" }),
        say("done for now", "m2"),
      ),
    );
    const [question, permission] = await asked(2);
    expect([question?.kind, permission?.kind]).toEqual(["question", "permission"]);
    await answer(permission, "allow");
    await left();
    await answer(question, `so:\n${script(mcp("ask_human", { question: "Second?" }))}`);
    const [second] = await asked();
    expect(second?.request).toEqual({ title: "Second?" });
    await world.test.until(id, ({ messages }) =>
      messages.some(({ content, complete }) => {
        const { text } = content;
        return complete && typeof text === "string" && text.endsWith("much later.");
      }),
    );
    await answer(second, "2");
    const last = transcript(await world.test.idle(id)).at(-1);
    expect(last).toContain('You asked: "Second?" The answer: 2');
    expect(last).not.toMatch(/First|May I/u);
  });

  it("stays open when its agent dies (C3)", async () => {
    const gate = path.join(world.test.folder, "never");
    await world.test.send(id, script(mcp("ask_human", QUESTION), waitFor(gate)));
    const [suspension] = await asked();
    await world.test.killAgents();
    expect((await world.test.read(id)).session.suspensions).toMatchObject([{ id: suspension?.id }]);
    await answer(suspension, "SQLite");
    expect(transcript(await world.test.idle(id)).at(-1)).toContain("The answer: SQLite");
  });

  it("is released when its run is cancelled (A5)", async () => {
    await world.test.send(id, script(mcp("ask_human", QUESTION), say("done for now", "m2")));
    await asked();
    await left();
    ok(await world.test.runtime.cancel({ sessionId: id, reason: "no longer needed" }));
    const { session } = await world.test.idle(id);
    expect(session.suspensions).toEqual([]);
    await world.test.send(id, script(say("on we go")));
    expect(transcript(await world.test.idle(id)).at(-1)).toBe("agent on we go");
  });
});

describe("an event that an agent waits for", () => {
  it("arrives with its data (C3)", async () => {
    const awaited = { name: "deployed", description: "the staging deployment" };
    await world.test.send(id, script(mcp("wait_for_event", awaited)));
    const [suspension] = await asked();
    expect(suspension).toMatchObject({
      kind: "event",
      request: { title: "deployed", description: "the staging deployment" },
      expiresAt: null,
    });
    await answer(suspension, { build: 7 });
    expect(transcript(await world.test.idle(id)).at(-1)).toContain(
      'You waited for the event "deployed". It has happened, with: {"build":7}',
    );
  });

  it.each(["before", "after"])(
    "expires, also %s a restart: the run continues without it (C3)",
    async (when) => {
      const awaited = { name: "deployed", expires_in_minutes: 0.05 };
      await world.test.send(id, script(mcp("wait_for_event", awaited), say("done for now", "m2")));
      const [suspension] = await asked();
      expect((suspension?.expiresAt ?? 0) - (suspension?.createdAt ?? 0)).toBe(3_000);
      if (when === "after") await world.restart();
      const whole = await world.test.idle(id);
      expect(transcript(whole).at(-1)).toContain(
        'You waited for the event "deployed". It was not reported: nobody answered in time.',
      );
      expect(await world.test.store.readSuspension(suspension?.id ?? "")).toMatchObject({
        status: "expired",
      });
    },
  );
});

describe("the tools of an agent", () => {
  it("changes the phase, as an event of the session (B2)", async () => {
    const phases: unknown[] = [];
    const { feed } = ok(
      await world.test.runtime.openFeed({
        sessionId: id,
        after: 0,
        onItem: ({ change }) => {
          if (change.type === "phase") phases.push([change.from, change.to]);
          return true;
        },
        onEnd: () => {},
      }),
    );
    await world.test.send(id, script(mcp("set_phase", { phase: "planning" })));
    const whole = await world.test.idle(id);
    expect(whole.session).toMatchObject({
      phase: "planning",
      phaseHistory: [{ from: "initializing", to: "planning" }],
    });
    expect(transcript(whole).at(-1)).toBe('agent mcp: The phase is now "planning".');
    await expect.poll(() => phases).toEqual([["initializing", "planning"]]);
    feed.close();
  });

  it("shows messages from before the agent started (C2)", async () => {
    await world.test.send(id, script(say("The linker is old.")), { provider: "plain" });
    await world.test.idle(id);
    await world.test.send(id, script(mcp("read_history", { search: "linker is old" })), {
      provider: "scripted",
    });
    expect(transcript(await world.test.idle(id)).at(-1)).toContain("The linker is old.");
  });

  it("is missing for an agent whose definition turns it off", async () => {
    await world.test.send(id, script(mcp("set_phase", { phase: "planning" })), {
      provider: "plain",
    });
    expect(transcript(await world.test.idle(id)).at(-1)).toBe("agent mcp: none");
  });

  it("leaves no token in the journal, and no process behind", async () => {
    await world.test.send(id, script(mcp("set_phase", { phase: "planning" }), write("a.txt", "")));
    await world.test.idle(id);
    expect(await world.test.processes()).toHaveLength(1);
    const journals = await world.test.journals();
    expect(journals).toContain("mcpServers");
    expect(journals).not.toContain(world.tokens.of(id));
  });
});

describe("the address of the server for tools", () => {
  it("is this machine, also when the server listens on all addresses; none when it never listens", async () => {
    const urlFor = async (url: string | null): Promise<string | undefined> => {
      const tools = openAgentTools(world.tokens);
      const given = tools.toolsFor("a b");
      tools.reachableAt(url);
      return (await given)[0]?.env["HOLDFAST_AGENT_URL"];
    };
    expect(await urlFor("http://0.0.0.0:80")).toBe("http://127.0.0.1:80/api/agent/sessions/a%20b");
    expect(await urlFor("http://[::]:80")).toBe("http://[::1]:80/api/agent/sessions/a%20b");
    expect(await urlFor("http://10.0.0.9:80")).toBe("http://10.0.0.9:80/api/agent/sessions/a%20b");
    expect(await urlFor(null)).toBeUndefined();
  });
});
