import assert from "node:assert/strict";
import type { OpenSuspension } from "../../../packages/protocol/src/index.ts";
import type { FakeRequest } from "../../../packages/server/src/providers/testing/fake-models/fake-models.ts";
import { Unsupported } from "../outcome.ts";
import type { Rig } from "../rig.ts";
import type { Scenario, ScenarioContext } from "../scenario.ts";
import { openSession, userTextsOf, type SessionDriver } from "../session-driver.ts";

const QUESTION = "Which colour for the door?";
const CHOSEN = "Blue-417";
const options = [
  { label: CHOSEN, description: "like the sky" },
  { label: "Red-902", description: "like a brick" },
];

/** How the model of an agent asks a question, and what it gets back. */
interface Asking {
  /** A message that must come before: some ask only while they plan. */
  readonly first: string | null;
  readonly tool: string;
  readonly args: object;
  /** The field of the form. */
  readonly field: string;
  /** The part of the tool's result with the answer. */
  readonly result: string;
}

const ASKING: Readonly<Record<string, Asking>> = {
  claude: {
    first: null,
    tool: "AskUserQuestion",
    args: { questions: [{ question: QUESTION, header: "Colour", multiSelect: false, options }] },
    field: "question_0",
    result: `"${QUESTION}"="${CHOSEN}"`,
  },
  codex: {
    first: "/plan",
    tool: "request_user_input",
    args: { questions: [{ id: "colour", header: "Colour", question: QUESTION, options }] },
    field: "colour",
    result: `{"answers":{"colour":{"answers":["${CHOSEN}"]}}}`,
  },
};

export const elicitation: Scenario = {
  name: "elicitation",
  title: "asks a question, and the model gets the answer",
  run: async ({ rig, agent }) => {
    const { session, asking, asked } = await ask({ rig, agent });
    await accept(rig, session, { asking, asked });
    await session.idle();
    const results = textsBy(rig, "tool").filter((text) => text.includes(CHOSEN));
    assert.equal(results.length > 0, true, "the model did not get the answer");
    for (const text of results) {
      assert.ok(text.includes(asking.result), `the model got something else: ${text}`);
      assert.ok(!text.includes("Red-902"), `the model got the other choice, too: ${text}`);
    }
    await session.remove();
    return "";
  },
};

export const elicitationAfterKill: Scenario = {
  name: "elicitation-after-kill",
  title: "the same, answered after the server and the agent were killed",
  run: async ({ rig, agent }) => {
    const { session, asking, asked } = await ask({ rig, agent });
    await rig.killAll();
    await rig.noAgents();
    const { suspensions } = await rig.client.suspensions();
    assert.deepEqual(
      suspensions.map(({ id }) => id),
      [asked.id],
      "the open question has changed",
    );
    const before = rig.models.requests.length;
    await accept(rig, session, { asking, asked });
    const now = await session.idle();
    const answer = JSON.stringify({ [asking.field]: CHOSEN });
    const told = textsBy(rig, "user", before).filter((text) => text.includes(CHOSEN));
    assert.ok(told.length > 0, "the model did not get the answer");
    assert.ok(
      told.some((text) => text.includes(`The user answered exactly this: ${answer}`)),
      `the model got something else: ${told.join(" | ")}`,
    );
    assert.equal(userTextsOf(now).length, asking.first === null ? 1 : 2);
    const run = (await session.runs()).at(-1);
    assert.equal(run?.status, "completed");
    await session.remove();
    return run.memory?.how === "none" ? "afresh" : (run.memory?.how ?? "");
  },
};

/** Makes the model ask, and waits for the question. */
async function ask({ rig, agent }: ScenarioContext): Promise<{
  readonly session: SessionDriver;
  readonly asking: Asking;
  readonly asked: OpenSuspension;
}> {
  const asking = ASKING[agent.name];
  if (asking === undefined) throw new Unsupported("asks no questions through the protocol");
  const session = await openSession(rig, agent.name);
  if (asking.first !== null) await session.say(asking.first);
  await session.send(`TOOL ${asking.tool} ${JSON.stringify(asking.args)}`);
  const { suspension: asked } = await session.until(
    "a question or the end of the run",
    ({ suspension, state }) => suspension !== null || state === "idle",
  );
  if (asked === null) {
    const said = rig.models.requests.at(-1)?.asked?.said.slice(-3) ?? [];
    throw new Error(`nothing was asked: ${JSON.stringify(said).slice(0, 1_000)}`);
  }
  assert.equal(asked.kind, "elicitation", JSON.stringify(asked.request));
  assert.ok(JSON.stringify(asked.request).includes(QUESTION), "the question is not shown");
  return { session, asking, asked };
}

async function accept(
  rig: Rig,
  session: SessionDriver,
  { asking, asked }: { readonly asking: Asking; readonly asked: OpenSuspension },
): Promise<void> {
  const answerWith = (value: string): Promise<unknown> =>
    rig.client.sessions.answer(session.id, {
      suspensionId: asked.id,
      answer: { action: "accept", content: { [asking.field]: value } },
    });
  await assert.rejects(answerWith("Green-000"), /must be one of/u, "a wrong choice was accepted");
  await answerWith(CHOSEN);
}

/** What was said to the model by a role, in its latest request since the given one. */
function textsBy(rig: Rig, role: "tool" | "user", since = 0): readonly string[] {
  const requests: readonly FakeRequest[] = rig.models.requests.slice(since);
  return requests.flatMap(({ asked }) =>
    (asked?.said ?? []).flatMap(({ by, text }) => (by === role ? [text] : [])),
  );
}
