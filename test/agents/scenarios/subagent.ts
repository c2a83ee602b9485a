import assert from "node:assert/strict";
import { Unsupported } from "../outcome.ts";
import type { Scenario } from "../scenario.ts";
import { openSession } from "../session-driver.ts";

/** The calls that start a sub-agent, by the name of the agent's tool. */
const STARTS: Readonly<Record<string, object>> = {
  Agent: {
    description: "Say hello",
    prompt: "Greet everybody.",
    subagent_type: "general-purpose",
    run_in_background: false,
  },
  Task: { description: "Say hello", prompt: "Greet everybody.", subagent_type: "general-purpose" },
  "multi_agent_v1/spawn_agent": { message: "Greet everybody." },
  // One has `subagent_type`, the other `agent_type` and `name`.
  task: {
    description: "Say hello",
    prompt: "Greet everybody.",
    subagent_type: "general",
    agent_type: "general-purpose",
    name: "greeter",
  },
};

/** Agents that report nothing of the work of their sub-agents. */
const QUIET: ReadonlySet<string> = new Set(["copilot", "opencode"]);

/** What a sub-agent says is shown under the call that stands for it. */
export const subagent: Scenario = {
  name: "subagent",
  title: "shows its sub-agents",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    await session.say("PING");
    const tools = rig.models.requests.flatMap(({ asked }) => asked?.tools ?? []);
    const name = tools.map((tool) => tool.name).find((each) => Object.hasOwn(STARTS, each));
    if (name === undefined) {
      await session.remove();
      throw new Unsupported("its model has no tool that starts a sub-agent");
    }
    const now = await session.say(`TOOL ${name} ${JSON.stringify(STARTS[name])}`);
    const work = now.messages.filter(({ content }) => typeof content["parent"] === "string");
    const shown = JSON.stringify(now.messages.map(({ content }) => content)).slice(0, 6_000);
    await session.remove();
    if (work.length === 0 && QUIET.has(agent.name))
      throw new Unsupported("it does not report what its sub-agents do");
    assert.match(JSON.stringify(work), /Hello from/u, shown);
    const parents = new Set(now.messages.map(({ content }) => content["callId"]));
    assert.ok(
      work.every(({ content }) => parents.has(content["parent"])),
      shown,
    );
    return `${work.length} messages`;
  },
};
