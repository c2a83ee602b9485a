import assert from "node:assert/strict";
import { Unsupported } from "../outcome.ts";
import type { Rig } from "../rig.ts";
import type { Scenario } from "../scenario.ts";
import { openSession, textsOf } from "../session-driver.ts";

/** A fork continues in a copy that the agent makes of its own session; the original goes on undisturbed. */
export const forkNative: Scenario = {
  name: "fork-native",
  title: "forks its own session",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    await session.say("CODE-alpha PING");
    await needs(rig, agent.name, "fork");
    const { id } = await rig.client.sessions.fork(session.id);
    const asked = rig.models.requests.length;
    await rig.client.sessions.send(id, { text: "CODE-beta RECALL CODE-" });
    const fork = await untilIdle(rig, id);
    assert.equal(textsOf(fork).at(-1), "You said: CODE-alpha CODE-beta");
    const { runs } = await rig.client.sessions.runs(id);
    assert.deepEqual(
      runs.map(({ memory }) => memory),
      [{ how: "forked" }],
    );
    // The model saw the history as a conversation, and no briefing.
    const texts = rig.models.requests.slice(asked).map(({ body }) => JSON.stringify(body));
    assert.ok(texts.some((text) => text.includes("PONG")));
    assert.ok(!texts.some((text) => text.includes("This session began before you were started")));

    const original = await session.say("RECALL CODE-");
    assert.equal(textsOf(original).at(-1), "You said: CODE-alpha");
    assert.equal((await session.runs()).at(-1)?.memory?.how, "live");
    await session.remove();
    await rig.client.sessions.send(id, { text: "RECALL CODE-" });
    assert.equal(textsOf(await untilIdle(rig, id)).at(-1), "You said: CODE-alpha CODE-beta");
    await rig.client.sessions.delete(id);
    return "";
  },
};

/** Nothing of the conversation is left in the agent's home. */
export const agentSessionDeleted: Scenario = {
  name: "agent-session-deleted",
  title: "deletes its own session",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    await session.say("CODE-gamma PING");
    await needs(rig, agent.name, "delete");
    const { agentSessions } = await rig.client.sessions.delete(session.id, {
      agentSessions: "delete",
    });
    assert.deepEqual(agentSessions, [{ provider: agent.name, outcome: "deleted", message: null }]);
    return "";
  },
};

async function needs(rig: Rig, name: string, capability: "fork" | "delete"): Promise<void> {
  const { providers } = await rig.client.providers();
  const offered = providers.find((provider) => provider.name === name)?.capabilities ?? {};
  const { agentCapabilities } = offered as {
    agentCapabilities?: { sessionCapabilities?: Record<string, unknown> };
  };
  if (agentCapabilities?.sessionCapabilities?.[capability] !== undefined) return;
  const { sessions } = await rig.client.sessions.list();
  for (const { id } of sessions) await rig.client.sessions.delete(id);
  throw new Unsupported(`does not offer session/${capability}`);
}

async function untilIdle(rig: Rig, id: string) {
  const signal = AbortSignal.timeout(90_000);
  for await (const { session } of rig.client.sessions.follow(id, { signal })) {
    if (session.state === "idle" && session.queued === 0) return session;
  }
  throw new Error("the run did not end");
}
