import assert from "node:assert/strict";
import type { Scenario } from "../scenario.ts";
import { countOf, openSession, textsOf, userTextsOf } from "../session-driver.ts";

export const plain: Scenario = {
  name: "plain",
  title: "answers",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    const now = await session.say("PING");
    assert.deepEqual(userTextsOf(now), ["PING"]);
    assert.equal(countOf(textsOf(now), "PONG"), 1, `the agent said ${textsOf(now).join(" | ")}`);
    const [run] = await session.runs();
    assert.equal(run?.status, "completed");
    await session.remove();
    return "";
  },
};

export const thinking: Scenario = {
  name: "thinking",
  title: "thinks",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    const now = await session.say("THINK");
    const thoughts = now.messages.filter(({ content }) => content.type === "thought");
    assert.match(JSON.stringify(thoughts), /Let me think about this/u);
    assert.equal(countOf(textsOf(now), "After a thought: 42."), 1);
    await session.remove();
    return "";
  },
};

export const cancel: Scenario = {
  name: "cancel",
  title: "cancelled while streaming",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    await session.send("SLOW");
    await session.until("the first word", (now) => countOf(textsOf(now), "slow-0") > 0);
    await session.cancel();
    const stopped = await session.idle();
    await rig.models.until(
      ({ outcome, asked }) => outcome === "aborted" && asked !== null && asked.tools.length > 0,
    );
    const now = await session.say("PING");
    assert.deepEqual(userTextsOf(now), ["SLOW", "PING"]);
    const before = textsOf(stopped);
    assert.deepEqual(textsOf(now).slice(0, before.length), before);
    const after = textsOf(now).slice(before.length);
    assert.equal(countOf(after, "PONG"), 1);
    assert.equal(countOf(after, "slow-"), 0, "the agent continued after it was cancelled");
    const runs = await session.runs();
    assert.deepEqual(
      runs.map(({ status }) => status),
      ["cancelled", "completed"],
    );
    await session.remove();
    return "";
  },
};
