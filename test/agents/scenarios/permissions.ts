import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { WRITTEN } from "../../../packages/server/src/providers/testing/fake-models/decide-answer.ts";
import type { OpenSuspension } from "../../../packages/protocol/src/index.ts";
import type { Rig } from "../rig.ts";
import type { Scenario } from "../scenario.ts";
import {
  countOf,
  openSession,
  textsOf,
  userTextsOf,
  type SessionDriver,
} from "../session-driver.ts";

export const allow: Scenario = {
  name: "allow",
  title: "asks, and writes when allowed",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    const file = session.fileNamed("allowed.txt");
    await session.send(`WRITE ${file}`);
    const asked = await session.asked();
    assert.equal(existsSync(file), false, "it wrote before it was allowed to");
    await session.answer(asked, "allow_once");
    const now = await session.idle();
    assert.equal(readFileSync(file, "utf8").trimEnd(), WRITTEN);
    assert.equal(userTextsOf(now).length, 1);
    const tools = now.messages.filter(({ content }) => content.type === "tool");
    assert.deepEqual(
      tools.map(({ complete }) => complete),
      tools.map(() => true),
    );
    await session.remove();
    return "";
  },
};

export const reject: Scenario = {
  name: "reject",
  title: "does not when it is rejected",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    const file = session.fileNamed("rejected.txt");
    await session.send(`WRITE ${file}`);
    await session.answer(await session.asked(), "reject_once");
    await session.idle();
    assert.equal(existsSync(file), false, "it wrote what was rejected");
    await session.remove();
    return "";
  },
};

/** How often the same question may be put before somebody would lose patience. */
const MAX_ASKED = 3;

export const killedServer: Scenario = {
  name: "killed-server",
  title: "server killed while it asks",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    const file = session.fileNamed("once.txt");
    await session.answer(await askedAndKilled(session, { rig, file }), "allow_once");
    let asked = 1;
    for (;;) {
      const again = await session.askedOrIdle();
      if (again === null) break;
      assert.equal(existsSync(file), false, "it is asked for what was done");
      asked += 1;
      assert.ok(asked <= MAX_ASKED, `it asks again and again: ${JSON.stringify(again.request)}`);
      await session.answer(again, "allow_once");
    }
    const now = await session.idle();
    assert.equal(readFileSync(file, "utf8"), `${WRITTEN}\n`, "it was not done exactly once");
    assert.equal(userTextsOf(now).length, 1);
    const [run] = await session.runs();
    assert.equal(run?.status, "completed");
    await session.remove();
    const how = run.memory?.how === "none" ? "afresh" : (run.memory?.how ?? "");
    return asked === 1 ? how : `${how}, asked ${asked} times`;
  },
};

export const killedServerReject: Scenario = {
  name: "killed-server-reject",
  title: "the same, and rejected",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    const file = session.fileNamed("never.txt");
    await session.answer(await askedAndKilled(session, { rig, file }), "reject_once");
    let asked = 1;
    for (;;) {
      const again = await session.askedOrIdle();
      if (again === null) break;
      asked += 1;
      assert.ok(asked <= MAX_ASKED, `it asks again and again: ${JSON.stringify(again.request)}`);
      await session.answer(again, "reject_once");
    }
    assert.equal(existsSync(file), false, "it did what was rejected");
    const now = await session.say("PING");
    assert.equal(userTextsOf(now).length, 2);
    assert.equal(countOf(textsOf(now), "PONG"), 1);
    await session.remove();
    return asked === 1 ? "" : `asked ${asked} times`;
  },
};

export const killedServerStubborn: Scenario = {
  name: "killed-server-stubborn",
  title: "the same, with a model that believes it was refused",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    const file = session.fileNamed("stubborn.txt");
    const asked = await askedAndKilled(session, { rig, file, words: "STUBBORN " });
    await session.answer(asked, "allow_once");
    await session.idle();
    const [run] = await session.runs();
    assert.equal(run?.status, "completed");
    const { unusedAnswers } = await rig.client.suspensions();
    const isDone = existsSync(file);
    assert.deepEqual(
      unusedAnswers.map(({ suspensionId }) => suspensionId),
      isDone ? [] : [asked.id],
      "what was allowed and not done is not told of, or what was done is",
    );
    await session.remove();
    return isDone ? "done" : "told of";
  },
};

/** The question a server was killed with, as the next one has it. */
async function askedAndKilled(
  session: SessionDriver,
  { rig, file, words = "" }: { readonly rig: Rig; readonly file: string; readonly words?: string },
): Promise<OpenSuspension> {
  await session.send(`${words}APPEND ${file}`);
  const before = await session.asked();
  await rig.killAndRestart();
  await rig.noAgents();
  const { suspensions } = await rig.client.suspensions();
  assert.deepEqual(
    suspensions.map(({ id }) => id),
    [before.id],
    "the question is not as it was",
  );
  assert.equal(existsSync(file), false, "it was done unasked");
  return before;
}
