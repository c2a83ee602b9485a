import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { FakeRequest } from "../../../packages/server/src/providers/testing/fake-models/fake-models.ts";
import type { Scenario } from "../scenario.ts";
import { countOf, openSession, textsOf, userTextsOf } from "../session-driver.ts";
import { startCommand } from "./running-command.ts";

/** Agents that take messages while they work. */
const STEERABLE: ReadonlySet<string> = new Set(["claude", "codex"]);

/**
 * Messages that are sent while the agent asks and while a command runs: the model must see each of them exactly once, in
 * the same run, or in the next one if the agent cannot be steered.
 */
export const steering: Scenario = {
  name: "steering",
  title: "steered while a command runs",
  run: async ({ rig, agent }) => {
    const isSteerable = STEERABLE.has(agent.name);
    const [whileAsking, whileRunning] = [newMarker(), newMarker()];
    const session = await openSession(rig, agent.name);
    const { waited } = await startCommand({ rig, session }, "sleep 4; echo slept", async () => {
      if (!isSteerable) return null;
      const text = `A remark: ${whileAsking}.`;
      return rig.client.sessions.send(session.id, { text, delivery: "steer" });
    });
    const text = `PING ${whileRunning}`;
    const sent = await rig.client.sessions.send(session.id, { text, delivery: "steer" });
    await session.until("the reply", (whole) => countOf(textsOf(whole), "PONG") > 0);
    const now = await session.idle();
    const runs = await session.runs();
    await session.remove();

    const requests = rig.models.requests.filter((request) => saysOf(request, whileRunning) > 0);
    // Some agents also ask a model for a title or for the next message, with a question of their own at the end.
    const work = requests.filter((request) => endsWith(request, [whileAsking, whileRunning]));
    const last = work.at(-1);
    assert.ok(last !== undefined, "the model did not see the message");
    for (const marker of [whileRunning, ...(waited === null ? [] : [whileAsking])]) {
      assert.equal(saysOf(last, marker), 1, `the model saw ${marker} another number of times`);
      assert.equal(countOf(userTextsOf(now), marker), 1);
    }
    // One answer of the model per turn of the agent: an agent that takes two messages one by one answers twice.
    const answers = work.filter(({ answer }) => isPong(answer)).length;
    assert.equal(countOf(textsOf(now), "PONG"), answers, textsOf(now).join(" | "));
    if (!isSteerable) {
      assert.equal(sent.steering, "queued");
      assert.equal(answers, 1);
      assert.equal(runs.length, 2);
      return "queued: not offered";
    }
    assert.equal(sent.steering, "injected");
    assert.equal(runs.length, 1, "the message got a run of its own");
    const turns = answers === 1 ? "one answer" : `${answers} answers: one per message`;
    assert.ok(answers <= (waited === null ? 1 : 2), `the model was asked ${answers} times`);
    return waited === null ? turns : `${waited.steering} while it asks; ${turns}`;
  },
};

function newMarker(): string {
  return `MARK-${randomBytes(6).toString("hex")}`;
}

/** How often the messages of the user in a request contain the marker. */
function saysOf({ asked }: FakeRequest, marker: string): number {
  const texts = asked?.said.filter(({ by }) => by === "user").map(({ text }) => text) ?? [];
  return countOf(texts, marker);
}

/** Whether the last text of the user in the request contains a marker. */
function endsWith({ asked }: FakeRequest, markers: readonly string[]): boolean {
  const text = asked?.said.findLast(({ by }) => by === "user")?.text ?? "";
  return (asked?.tools.length ?? 0) > 0 && markers.some((marker) => text.includes(marker));
}

function isPong(answer: FakeRequest["answer"]): boolean {
  return answer?.does === "speak" && answer.pieces.join("") === "PONG";
}
