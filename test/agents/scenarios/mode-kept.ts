import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { AgentOption } from "../../../packages/protocol/src/index.ts";
import { isObject } from "../../../packages/server/src/domain/json.ts";
import { Unsupported } from "../outcome.ts";
import type { Scenario } from "../scenario.ts";
import { countOf, openSession, textsOf } from "../session-driver.ts";

export const modeKept: Scenario = {
  name: "mode-kept",
  title: "keeps its mode and options",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    await session.say("PING");
    const offered = (await rig.client.sessions.options(session.id)).options;
    const mode = otherChoice(
      offered.find(({ id }) => id === "mode"),
      "plan",
    );
    const effort = offered.find(({ category }) => category === "thought_level");
    const level = otherChoice(effort, "high");
    if (mode === null) {
      await session.remove();
      throw new Unsupported("it offers no modes");
    }
    const options = effort === undefined || level === null ? {} : { [effort.id]: level };
    await rig.client.sessions.update(session.id, { mode, options });
    await session.say("PING");
    const wanted = { mode, ...options };
    const told = (): Record<string, unknown> =>
      valuesIn(path.join(rig.data, "journals", `${session.id}.jsonl`), Object.keys(wanted));
    assert.deepEqual(told(), wanted, "before the kill");

    // Agents store the conversation shortly after they answer.
    await pause(1_000);
    rig.killAgent();
    await rig.noAgents();
    await session.say("PING");
    assert.deepEqual(told(), wanted, "after a kill of the agent");
    await pause(1_000);
    await rig.killAll();
    await rig.noAgents();
    const now = await rig.client.sessions.get(session.id);
    assert.deepEqual({ mode: now.mode, ...now.options }, wanted);
    await rig.client.sessions.send(session.id, { text: "PING" });
    const after = await session.idle();
    assert.equal(countOf(textsOf(after), "PONG"), 4, textsOf(after).join(" | "));
    assert.deepEqual(told(), wanted, "after a kill of the server");
    await rig.client.sessions.delete(session.id);
    return Object.values(wanted).join(", ");
  },
};

/** Another value than the current one, if possible this one. */
function otherChoice(option: AgentOption | undefined, wanted: string): string | null {
  const others = option?.choices.filter(({ id }) => id !== option.value) ?? [];
  return (others.find(({ id }) => id === wanted) ?? others[0])?.id ?? null;
}

/** The values that the last agent said or accepted, from the record of its messages. */
function valuesIn(file: string, ids: readonly string[]): Record<string, unknown> {
  const frames = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line))
    .filter((entry) => isObject(entry) && entry["direction"] !== "stderr")
    .map((entry) => frameOf(isObject(entry) ? entry["line"] : null));
  const last = frames.slice(frames.findLastIndex((frame) => frame["method"] === "initialize"));
  const values: Record<string, unknown> = {};
  for (const frame of last) {
    const params = objectOf(frame["params"]);
    if (frame["method"] === "session/set_mode") values["mode"] = params["modeId"];
    for (const said of [objectOf(frame["result"]), objectOf(params["update"])]) {
      const current = objectOf(said["modes"])["currentModeId"] ?? said["currentModeId"];
      if (current !== undefined) values["mode"] = current;
      const options = said["configOptions"];
      for (const option of Array.isArray(options) ? options.map(objectOf) : [])
        values[option["category"] === "mode" ? "mode" : String(option["id"])] =
          option["currentValue"];
    }
  }
  return Object.fromEntries(ids.map((id) => [id, values[id]]));
}

/** A long line is shortened in the record, so that it is no JSON any more. */
function frameOf(line: unknown): Readonly<Record<string, unknown>> {
  try {
    return objectOf(typeof line === "string" ? JSON.parse(line) : line);
  } catch {
    return {};
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}
