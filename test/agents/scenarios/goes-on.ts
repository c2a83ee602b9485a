import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { WRITTEN } from "../../../packages/server/src/providers/testing/fake-models/decide-answer.ts";
import type { Scenario, ScenarioContext } from "../scenario.ts";
import { openSession, textsOf, type SessionDriver } from "../session-driver.ts";
import { startCommand } from "./running-command.ts";

/** How many words are read before the server is killed, and after it. */
const WORDS = 20;

/** The server is killed while the agent asks, runs a command, and speaks. The agent does not notice. */
export const goesOn: Scenario = {
  name: "goes-on",
  title: "goes on when the server is killed",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    await whileAsking(rig, session);
    await whileRunning(rig, session);
    await whileSpeaking(rig, session);
    const runs = await session.runs();
    assert.deepEqual(
      runs.map(({ status }) => status),
      ["completed", "completed", "cancelled"],
    );
    await session.remove();
    return "";
  },
};

type Rig = ScenarioContext["rig"];

async function killServer(rig: Rig): Promise<void> {
  const pid = rig.agentPid();
  await rig.killServer();
  assert.equal(rig.agentPid(), pid, "the agent was replaced");
}

/** The model would not repeat a command that its history shows as refused. */
async function whileAsking(rig: Rig, session: SessionDriver): Promise<void> {
  const file = session.fileNamed("asked.txt");
  await session.send(`STUBBORN APPEND ${file}`);
  const before = await session.permission();
  await killServer(rig);
  const { suspensions } = await rig.client.suspensions();
  assert.deepEqual(
    suspensions.map(({ id }) => id),
    [before.id],
    "the open request has changed",
  );
  await session.answer(before, "allow_once");
  await session.idle();
  assert.equal(readFileSync(file, "utf8"), `${WRITTEN}\n`, "the command did not run exactly once");
}

async function whileRunning(rig: Rig, session: SessionDriver): Promise<void> {
  const file = session.fileNamed("run.txt");
  await startCommand({ rig, session }, `sleep 4; echo done >> '${file}'`);
  await killServer(rig);
  const { messages } = await session.idle();
  assert.equal(readFileSync(file, "utf8"), "done\n", "the command did not run exactly once");
  const open = messages.filter(({ complete }) => !complete);
  assert.deepEqual(open, [], "a message was never completed");
}

async function whileSpeaking(rig: Rig, session: SessionDriver): Promise<void> {
  await session.send("SLOW");
  const hasWords = (count: number) => (now: Parameters<typeof textsOf>[0]) =>
    wordsIn(textsOf(now)).length >= count;
  const before = await session.until("the first words", hasWords(WORDS));
  await killServer(rig);
  const count = wordsIn(textsOf(before)).length + WORDS;
  const after = wordsIn(textsOf(await session.until("more words", hasWords(count))));
  assert.deepEqual(
    after,
    after.map((_, index) => index),
    "a word is missing or repeated",
  );
  await session.cancel();
  await session.idle();
}

function wordsIn(texts: readonly string[]): readonly number[] {
  return [...texts.join("").matchAll(/slow-(?<number>\d+) /gu)].map(({ groups }) =>
    Number(groups?.["number"]),
  );
}
