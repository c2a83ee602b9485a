import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, NOON } from "../domain/testing/commands.ts";
import { idsOf, TestRetention } from "./testing/test-retention.ts";

let test: TestRetention;
beforeEach(async () => {
  test = await TestRetention.open();
});
afterEach(() => test.close());

describe("cleanup", () => {
  it("B6 goes by age alone, takes what is at rest, bundle first, and says what it took", async () => {
    const [idle, cut, broken, recent] = [
      await test.begin(),
      await test.suspended(),
      await test.failed(),
      await test.begin({ at: NOON + 2 * HOUR_MS }),
    ];
    const [archived, running, queued, waiting] = [
      await test.begin(),
      await test.begin(),
      await test.begin(),
      await test.begin(),
    ];
    await archived.perform({ type: "archive" });
    await running.run();
    await queued.send("later");
    await waiting.suspend(await waiting.run());
    test.now = NOON + 3 * HOUR_MS;
    const { removed, kept } = await test.startLate().cleanup({ olderThanMs: 2 * HOUR_MS });
    expect(kept).toEqual([]);
    expect(removed.map(({ sessionId }) => sessionId).toSorted()).toEqual(
      idsOf([idle, cut, broken]),
    );
    for (const { sessionId, bundle } of removed)
      expect(readFileSync(bundle, "utf8")).toContain(sessionId);
    expect(await test.left()).toEqual(idsOf([recent, archived, running, queued, waiting]));
    expect(test.forgotten.toSorted()).toEqual(idsOf([idle, cut, broken]));
  });

  it("B6 says what it had to keep, and why", async () => {
    const session = await test.begin();
    test.now = NOON + DAY_MS;
    mkdirSync(path.dirname(test.bundles), { recursive: true });
    writeFileSync(test.bundles, "a file where the folder should be");
    expect(await test.startLate().cleanup({ olderThanMs: HOUR_MS })).toEqual({
      removed: [],
      kept: [{ sessionId: session.id, reason: expect.stringContaining("EEXIST") }],
    });
    expect(await test.left()).toEqual([session.id]);
  });
});
