import { describe, expect, it } from "vitest";
import {
  isObject,
  type Json,
  type JsonObject,
} from "../../../../packages/server/src/domain/json.ts";
import { repeat } from "../../../../packages/server/src/domain/testing/repeat.ts";
import { bundleRig } from "../../../../packages/server/src/runtime/bundle/testing/bundle-rig.ts";
import { changed } from "../../../../packages/server/src/runtime/bundle/testing/lines.ts";
import { beginSession } from "../../../../packages/server/src/storage/testing/session-driver.ts";
import { randomFrom, seedFor, type Random } from "../random.ts";

const test = bundleRig();
const FORGERIES = repeat({ short: 150, long: 5_000 });

/** Values that a forger would put into any field. `victim` is the ID of another session. */
const hostile = (victim: string): readonly [Json, ...Json[]] => [
  "../../etc/passwd",
  "/etc/passwd\u0000.jsonl",
  victim,
  "__proto__",
  "constructor",
  "\u001b[2J\u0007\u202e",
  "\ud800",
  "x".repeat(70_000),
  -1,
  0.5,
  1e308,
  2 ** 53 + 2,
  "9999-99-99T99:99:99Z",
  "-271821-04-20T00:00:00.000Z",
  "+275760-09-13T00:00:00.001Z",
  null,
  true,
  [],
  {},
  [[[[]]]],
  JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}'),
];

describe("a forged bundle with the right checksum", () => {
  it("is refused or imported harmlessly, and changes nothing else", async () => {
    const random = randomFrom(seedFor("forged bundles"));
    const victim = await beginSession(test.store, { repoId: "repo-1", title: "Victim" });
    await victim.end(await victim.run("secret plan"));
    const { session, lines } = await test.full();
    await session.perform({ type: "delete" });
    const before = await everythingOf(victim.id);
    const outcomes = { refused: 0, imported: 0 };
    const wrong: string[] = [];
    for (let count = 0; count < FORGERIES; count += 1) {
      const forged = forge(lines, random, victim.id);
      const taken = await test.take(forged);
      outcomes[taken.ok ? "imported" : "refused"] += 1;
      if (taken.ok) wrong.push(...(await harmOf(taken.session.id, victim.id)));
      else if (taken.refusal.message.includes("secret plan")) wrong.push(taken.refusal.message);
      expect(await everythingOf(victim.id)).toEqual(before);
    }
    expect(wrong).toEqual([]);
    expect((await test.store.listSessions({ limit: 20 })).sessions.map(({ id }) => id)).toEqual([
      victim.id,
    ]);
    expect(Reflect.get({}, "isAdmin")).toBeUndefined();
    expect(Math.min(outcomes.refused, outcomes.imported)).toBeGreaterThan(0);
  });
});

/** An imported session can be read, exported and deleted like any other. */
async function harmOf(sessionId: string, victim: string): Promise<readonly string[]> {
  if (sessionId === victim) return ["it replaced another session"];
  await everythingOf(sessionId);
  await test.bundleOf(sessionId);
  await test.store.deleteSessions([sessionId]);
  return [];
}

async function everythingOf(sessionId: string): Promise<unknown> {
  const { store } = test;
  return {
    session: await store.readSession(sessionId),
    messages: await store.readMessages({ sessionId }),
    runs: await store.readRuns(sessionId),
    suspensions: await store.readSuspensions(sessionId),
    queue: await store.readQueue(sessionId),
    log: await store.readEvents({ sessionId, after: 0, limit: 1_000 }),
  };
}

/** Changes some fields of some lines, or repeats, drops or swaps lines; count and checksum are right. */
function forge(lines: readonly string[], random: Random, victim: string): readonly string[] {
  const values = hostile(victim);
  const body = [...lines];
  const at = 1 + random.below(body.length - 2);
  const other = 1 + random.below(body.length - 2);
  const [line = "", second = ""] = [body[at], body[other]];
  const move = random.below(10);
  if (move === 0) body.splice(at, 0, line);
  if (move === 1) body.splice(at, 1);
  if (move === 2) [body[at], body[other]] = [second, line];
  const spoilt = random.below(body.length - 1);
  return changed(body, (value, index) => (index === spoilt ? spoil(value, random, values) : value));
}

function spoil(line: JsonObject, random: Random, values: readonly [Json, ...Json[]]): JsonObject {
  const keys = Object.keys(line);
  const key = keys[random.below(keys.length)] ?? "id";
  const nested = line[key];
  const value = random.pick(values);
  if (isObject(nested) && random.chance(0.5)) return { ...line, [key]: { ...nested, more: value } };
  return random.chance(0.1) ? { ...line, more: value } : { ...line, [key]: value };
}
