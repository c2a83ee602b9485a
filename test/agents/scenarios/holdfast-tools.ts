import assert from "node:assert/strict";
import { Unsupported } from "../outcome.ts";
import type { Scenario } from "../scenario.ts";
import { openSession, textsOf, type SessionDriver } from "../session-driver.ts";
import { allowAll, findRoute } from "../tool-route.ts";

export const holdfastTools: Scenario = {
  name: "tools",
  title: "uses Holdfast's tools",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    const route = await findRoute(session, rig, {
      server: "holdfast",
      tools: ["set_phase", "ask_human"],
    });
    assert.equal(route?.how ?? "none", agent.tools);
    if (route === null) {
      await session.remove();
      await rig.noAgents();
      throw new Unsupported("it does not get them");
    }

    await session.send(route.call("set_phase", { phase: "planning" }));
    await allowAll(session);
    const { phase } = await session.idle();
    assert.equal(phase, "planning");

    await session.send(route.call("ask_human", { question: "Which colour?" }));
    const suspensionId = await questionOf(session);
    await rig.client.sessions.answer(session.id, { suspensionId, answer: "CODE-blue" });
    await session.idle();
    const now = await session.say("RECALL CODE-");
    assert.equal(textsOf(now).at(-1), "You said: CODE-blue");
    await session.remove();
    return route.how;
  },
};

/** The ID of the agent's question. Allows any permission the agent requests before it asks. */
async function questionOf(session: SessionDriver): Promise<string> {
  for (;;) {
    const { suspensions, state } = await session.until(
      "a question",
      ({ suspension, state: now }) => suspension !== null || now === "idle",
    );
    const question = suspensions.find(({ kind }) => kind === "question");
    if (question !== undefined) return question.id;
    const permission = suspensions.find(({ kind }) => kind === "permission");
    assert.ok(permission, `the agent asked no question; the session is ${state}`);
    await session.answer(permission, "allow_once");
  }
}
