import assert from "node:assert/strict";
import type { Scenario } from "../scenario.ts";
import { countOf, openSession, textsOf, userTextsOf } from "../session-driver.ts";
import { startCommand } from "./running-command.ts";

/** Agents that take messages while they work. */
const STEERABLE: ReadonlySet<string> = new Set(["claude", "codex"]);

/** A message that is sent while a command runs: the model must see it in the same run, or in the next one. */
export const steering: Scenario = {
  name: "steering",
  title: "steered while a command runs",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    const { waited } = await startCommand({ rig, session }, "sleep 4; echo slept", async () => {
      if (!STEERABLE.has(agent.name)) return null;
      return rig.client.sessions.send(session.id, { text: "While you ask.", delivery: "steer" });
    });
    const sent = await rig.client.sessions.send(session.id, { text: "PING", delivery: "steer" });
    await session.until("the reply", (whole) => countOf(textsOf(whole), "PONG") > 0);
    const now = await session.idle();
    // An agent that got two messages may answer each.
    assert.ok(countOf(textsOf(now), "PONG") > 0, `the agent said ${textsOf(now).join(" | ")}`);
    const runs = await session.runs();
    await session.remove();
    if (!STEERABLE.has(agent.name)) {
      assert.equal(sent.steering, "queued");
      assert.equal(runs.length, 2);
      return "queued: not offered";
    }
    assert.equal(sent.steering, "injected");
    assert.ok(userTextsOf(now).includes("PING"));
    assert.equal(runs.length, 1, "the message got a run of its own");
    return waited === null ? "" : `${waited.steering} while it asks`;
  },
};
