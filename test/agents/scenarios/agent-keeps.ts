import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
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

/** The transcript of the conversation is no longer among the agent's sessions. */
export const agentSessionDeleted: Scenario = {
  name: "agent-session-deleted",
  title: "deletes its own session",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    await session.say("CODE-gamma PING");
    await needs(rig, agent.name, "delete");
    const transcripts = (): readonly string[] => transcriptsWith(rig, agent.name, "CODE-gamma");
    assert.notDeepEqual(transcripts(), [], "the agent keeps no transcript");
    const { agentSessions } = await rig.client.sessions.delete(session.id, {
      agentSessions: "delete",
    });
    assert.deepEqual(agentSessions, [{ provider: agent.name, outcome: "deleted", message: null }]);
    const left = transcripts();
    // Codex moves the transcript, and no longer offers it.
    const archived = left.filter((file) => /\/archived_sessions\//u.test(file));
    assert.deepEqual(left, archived);
    return archived.length > 0 ? "only archives it" : "";
  },
};

/** Agents also write logs and histories of prompts, which belong to no session. */
function transcriptsWith(rig: Rig, agent: string, words: string): readonly string[] {
  const home = rig.homeOf(agent);
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?:projects|sessions)\//u.test(`${entry.parentPath}/`))
    .map(({ parentPath, name }) => path.join(parentPath, name))
    .filter((file) => readFileSync(file, "utf8").includes(words));
}

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
