import assert from "node:assert/strict";
import type { FakeRequest } from "../../../packages/server/src/providers/testing/fake-models/fake-models.ts";
import { Lacking } from "../outcome.ts";
import type { RealAgent } from "../real-agents.ts";
import type { Rig } from "../rig.ts";
import type { Scenario } from "../scenario.ts";
import { openSession, textsOf, type SessionDriver } from "../session-driver.ts";

export const holdfastTools: Scenario = {
  name: "tools",
  title: "uses Holdfast's tools",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    const route = await findRoute(session, await introduce(session, rig));
    assert.equal(route?.how ?? "none", agent.tools);
    if (route === null) {
      await session.remove();
      await rig.noAgents();
      throw new Lacking("it is not given them");
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

/** Some agents begin to work before their servers of tools are there: those come with a later prompt. */
const MAX_PROMPTS = 5;

/** What the model is told until it hears of Holdfast's tools, or not. */
async function introduce(session: SessionDriver, { models }: Rig): Promise<readonly FakeRequest[]> {
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
  /** What to tell the model so that it calls a tool. */
  call(tool: string, args: object): string;
}

/** Some agents list all tools to the model, others let it search for those it wants. Null where there are none. */
async function findRoute(
  session: SessionDriver,
  requests: readonly FakeRequest[],
): Promise<Route | null> {
  const names = requests.flatMap(({ asked }) => asked?.tools.map(({ name }) => name) ?? []);
  const listed = names.find((name) => name.endsWith("set_phase"));
  if (listed !== undefined) {
    const prefix = listed.slice(0, -"set_phase".length);
    return { how: "listed", call: (tool, args) => order(`${prefix}${tool}`, args) };
  }
  const search = names.find((name) => /^tool_?search$/iu.test(name));
  if (search === undefined) return null;
  const query = "select:mcp__holdfast__set_phase,mcp__holdfast__ask_human";
  await session.say(order(search, { query, max_results: 5 }));
  const caller = names.find((name) => name === "tool_call");
  return {
    how: requests.some(namesTools) ? "searched" : "unnamed",
    call: (tool, args) => {
      const name = `mcp__holdfast__${tool}`;
      return caller === undefined ? order(name, args) : order(caller, { name, arguments: args });
    },
  };
}

function order(name: string, args: object): string {
  return `TOOL ${name} ${JSON.stringify(args)}`;
}

async function allowAll(session: SessionDriver): Promise<void> {
  for (;;) {
    const asked = await session.askedOrIdle();
    if (asked === null) return;
    await session.answer(asked, "allow_once");
  }
}

/** The id of the question the agent puts, past the permissions to put it. */
async function questionOf(session: SessionDriver): Promise<string> {
  for (;;) {
    const { suspensions, state } = await session.until(
      "a question",
      ({ suspension, state: now }) => suspension !== null || now === "idle",
    );
    const question = suspensions.find(({ kind }) => kind === "question");
    if (question !== undefined) return question.id;
    const permission = suspensions.find(({ kind }) => kind === "permission");
    assert.ok(permission, `no question was put, the session is ${state}`);
    await session.answer(permission, "allow_once");
  }
}
