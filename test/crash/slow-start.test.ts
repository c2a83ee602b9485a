import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { calmDeadline } from "../../packages/server/src/domain/testing/calm-clock.ts";
import { CrashRig } from "./crash-rig.ts";

let rig: CrashRig;
beforeAll(async () => {
  rig = await CrashRig.open();
});
afterAll(() => rig.close());

it("a start after a kill that has to wait says for what", async () => {
  expect(await rig.start()).toBe(true);
  await rig.createSession("scripted");
  await rig.kill();
  // Another process writes to the database and does not end.
  const release = rig.holdDatabase();
  const { ready } = rig.begin();
  const isOver = calmDeadline(60_000);
  while (!rig.output.includes("holdfast: starting: taking the database")) {
    if (isOver()) throw new Error(`the server is silent: ${rig.output}`);
    await pause(20);
  }
  release();
  // On a slow machine the server may have given up waiting by now.
  const isReady = await ready;
  expect(rig.output).toMatch(/holdfast: starting: taking the database .*, took \d+ s/u);
  expect(isReady || (await rig.start())).toBe(true);
});
