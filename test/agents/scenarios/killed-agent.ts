import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { Scenario } from "../scenario.ts";
import { countOf, openSession, textsOf, userTextsOf } from "../session-driver.ts";

export const killedAgent: Scenario = {
  name: "killed-agent",
  title: "knows what was said after a kill",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    await session.say("CODE-alpha PING");
    // Agents write down what was said a moment after they have answered; killed before, they know nothing of it.
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
    assert.equal(countOf(textsOf(now), "PONG"), 1, "what it had said came twice");
    assert.equal(countOf(textsOf(now), "slow-0 "), 1, "what it had said came twice");
    const runs = await session.runs();
    const [first, second, cut, last] = runs.map(({ status }) => status);
    assert.deepEqual([first, second, last], ["completed", "completed", "completed"]);
    // An agent that is started by a program which only waits for it can end its prompt in order when that is killed.
    assert.ok(cut === "failed" || cut === "completed", cut);
    const hows = runs.map(({ memory }) => memory?.how);
    assert.deepEqual(hows, ["none", agent.memory, "live", agent.memory]);
    await session.remove();
    return agent.memory;
  },
};
