import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { Scenario } from "../scenario.ts";
import { countOf, openSession, textsOf, userTextsOf } from "../session-driver.ts";

export const killedAgent: Scenario = {
  name: "killed-agent",
  title: "remembers after a kill",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    await session.say("CODE-alpha PING");
    // Agents store the conversation shortly after they answer. An agent killed before that forgets it.
    await pause(1_000);
    rig.killAgent();
    await rig.noAgents();
    const after = await session.say("RECALL CODE-");
    assert.equal(textsOf(after).at(-1), "You said: CODE-alpha");

    await session.send("SLOW CODE-beta");
    await session.until("the first word", (now) => countOf(textsOf(now), "slow-0") > 0);
    rig.killAgent();
    await session.idle();
    const now = await session.say("RECALL CODE-");
    assert.equal(textsOf(now).at(-1), "You said: CODE-alpha CODE-beta");
    assert.deepEqual(userTextsOf(now), [
      "CODE-alpha PING",
      "RECALL CODE-",
      "SLOW CODE-beta",
      "RECALL CODE-",
    ]);
    assert.equal(countOf(textsOf(now), "PONG"), 1, "the agent's text is stored twice");
    assert.equal(countOf(textsOf(now), "slow-0 "), 1, "the agent's text is stored twice");
    const runs = await session.runs();
    const [first, second, interrupted, last] = runs.map(({ status }) => status);
    assert.deepEqual([first, second, last], ["completed", "completed", "completed"]);
    // If only a wrapper process is killed, the agent behind it may still complete its prompt.
    assert.ok(interrupted === "failed" || interrupted === "completed", interrupted);
    const hows = runs.map(({ memory }) => memory?.how);
    assert.deepEqual(hows, ["none", agent.memory, "live", agent.memory]);
    await session.remove();
    return agent.memory;
  },
};
