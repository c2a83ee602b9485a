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
    const permission = await session.permission();
    assert.equal(existsSync(file), false, "the agent wrote before it was allowed to");
    await session.answer(permission, "allow_once");
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
  title: "writes nothing when rejected",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    const file = session.fileNamed("rejected.txt");
    await session.send(`WRITE ${file}`);
    await session.answer(await session.permission(), "reject_once");
    await session.idle();
    assert.equal(existsSync(file), false, "the agent wrote although it was rejected");
    await session.remove();
    return "";
  },
};

/** How often an agent may ask for the same permission. */
const MAX_REQUESTS = 3;

export const killedServer: Scenario = {
  name: "killed-server",
  title: "server and agent killed while it asks",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    const file = session.fileNamed("once.txt");
    await session.answer(await killWhileAsking(session, { rig, file }), "allow_once");
    let requests = 1;
    for (;;) {
      const again = await session.permissionOrIdle();
      if (again === null) break;
      assert.equal(existsSync(file), false, "the agent asks for an action that is already done");
      requests += 1;
      assert.ok(
        requests <= MAX_REQUESTS,
        `the agent keeps asking: ${JSON.stringify(again.request)}`,
      );
      await session.answer(again, "allow_once");
    }
    const now = await session.idle();
    assert.equal(
      readFileSync(file, "utf8"),
      `${WRITTEN}\n`,
      "the command did not run exactly once",
    );
    assert.equal(userTextsOf(now).length, 1);
    const [run] = await session.runs();
    assert.equal(run?.status, "completed");
    await session.remove();
    const how = run.memory?.how === "none" ? "afresh" : (run.memory?.how ?? "");
    return requests === 1 ? how : `${how}, asked ${requests} times`;
  },
};

export const killedServerReject: Scenario = {
  name: "killed-server-reject",
  title: "the same, rejected",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    const file = session.fileNamed("never.txt");
    await session.answer(await killWhileAsking(session, { rig, file }), "reject_once");
    let requests = 1;
    for (;;) {
      const again = await session.permissionOrIdle();
      if (again === null) break;
      requests += 1;
      assert.ok(
        requests <= MAX_REQUESTS,
        `the agent keeps asking: ${JSON.stringify(again.request)}`,
      );
      await session.answer(again, "reject_once");
    }
    assert.equal(existsSync(file), false, "the command ran although it was rejected");
    const now = await session.say("PING");
    assert.equal(userTextsOf(now).length, 2);
    assert.equal(countOf(textsOf(now), "PONG"), 1);
    await session.remove();
    return requests === 1 ? "" : `asked ${requests} times`;
  },
};

export const killedServerStubborn: Scenario = {
  name: "killed-server-stubborn",
  title: "the same, with a model that believes it was refused",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    const file = session.fileNamed("stubborn.txt");
    const permission = await killWhileAsking(session, { rig, file, words: "STUBBORN " });
    await session.answer(permission, "allow_once");
    await session.idle();
    const [run] = await session.runs();
    assert.equal(run?.status, "completed");
    const { unusedAnswers } = await rig.client.suspensions();
    const isDone = existsSync(file);
    assert.deepEqual(
      unusedAnswers.map(({ suspensionId }) => suspensionId),
      isDone ? [] : [permission.id],
      "an unused answer is not listed, or a used one is",
    );
    await session.remove();
    return isDone ? "done" : "listed as unused";
  },
};

/** Kills the server and the agent while a permission request is open, and returns the request. */
async function killWhileAsking(
  session: SessionDriver,
  { rig, file, words = "" }: { readonly rig: Rig; readonly file: string; readonly words?: string },
): Promise<OpenSuspension> {
  await session.send(`${words}APPEND ${file}`);
  const before = await session.permission();
  await rig.killAll();
  await rig.noAgents();
  const { suspensions } = await rig.client.suspensions();
  assert.deepEqual(
    suspensions.map(({ id }) => id),
    [before.id],
    "the open request has changed",
  );
  assert.equal(existsSync(file), false, "the command ran without permission");
  return before;
}
