import assert from "node:assert/strict";
import type { FakeRequest } from "../../../packages/server/src/providers/testing/fake-models/fake-models.ts";
import { Unsupported } from "../outcome.ts";
import type { RealAgent } from "../real-agents.ts";
import type { Rig } from "../rig.ts";
import type { Scenario } from "../scenario.ts";
import { openSession, textsOf, type SessionDriver } from "../session-driver.ts";

export const holdfastTools: Scenario = {
  name: "tools",
  title: "uses Holdfast's tools",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    const route = await findRoute(session, await waitForTools(session, rig));
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

/** Some agents start to work before their tool servers have started; the tools then appear with a later prompt. */
const MAX_PROMPTS = 5;

/** Sends messages until the model is told of Holdfast's tools, and returns the requests to the model. */
async function waitForTools(
  session: SessionDriver,
  { models }: Rig,
): Promise<readonly FakeRequest[]> {
  const from = models.requests.length;
  for (let prompts = 0; prompts < MAX_PROMPTS; prompts += 1) {
    await session.say("PING");
    if (models.requests.slice(from).some(namesTools)) break;
  }
  return models.requests.slice(from);
}

function namesTools({ body }: FakeRequest): boolean {
  return JSON.stringify(body).includes("set_phase");
}

interface Route {
  readonly how: Exclude<RealAgent["tools"], "none">;
  /** The message that makes the model call a tool. */
  call(tool: string, args: object): string;
}

/** Some agents list all tools to the model, others let it search. Null if the model gets no tools. */
async function findRoute(
  session: SessionDriver,
  requests: readonly FakeRequest[],
): Promise<Route | null> {
  const names = requests.flatMap(({ asked }) => asked?.tools.map(({ name }) => name) ?? []);
  const listed = names.find((name) => name.endsWith("set_phase"));
  if (listed !== undefined) {
    const prefix = listed.slice(0, -"set_phase".length);
    return { how: "listed", call: (tool, args) => toolCommand(`${prefix}${tool}`, args) };
  }
  const search = names.find((name) => /^tool_?search$/iu.test(name));
  if (search === undefined) return null;
  const query = "select:mcp__holdfast__set_phase,mcp__holdfast__ask_human";
  await session.say(toolCommand(search, { query, max_results: 5 }));
  const caller = names.find((name) => name === "tool_call");
  return {
    how: requests.some(namesTools) ? "searched" : "unnamed",
    call: (tool, args) => {
      const name = `mcp__holdfast__${tool}`;
      return caller === undefined
        ? toolCommand(name, args)
        : toolCommand(caller, { name, arguments: args });
    },
  };
}

function toolCommand(name: string, args: object): string {
  return `TOOL ${name} ${JSON.stringify(args)}`;
}

async function allowAll(session: SessionDriver): Promise<void> {
  for (;;) {
    const permission = await session.permissionOrIdle();
    if (permission === null) return;
    await session.answer(permission, "allow_once");
  }
}

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
