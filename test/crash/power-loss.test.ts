import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { repeat } from "../../packages/server/src/domain/testing/repeat.ts";
import { losePower } from "./lose-power.ts";
import { recordWrites } from "./record-writes.ts";
import { needTrace } from "./trace-writes.ts";

const MESSAGES = repeat({ short: 20, long: 40 });
/** Besides one after each answer. */
const AT_RANDOM = repeat({ short: 60, long: 200 });
const SEED = 3;

describe("after a loss of power", () => {
  it("every acknowledged message is there, what was seen to end has ended, and the file is whole, whatever else the disk had written (P1)", async () => {
    needTrace();
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-power-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const recording = await recordWrites(path.join(folder, "trace"), MESSAGES);
    const found = await losePower(recording, {
      folder: path.join(folder, "found"),
      seed: SEED,
      atRandom: AT_RANDOM,
    });
    expect(found.wrong).toEqual([]);
    expect(found.moments).toBeGreaterThanOrEqual(AT_RANDOM);
    expect(found.told.messages).toBeGreaterThanOrEqual(MESSAGES);
    // There was something to lose.
    expect(found.unsynced).toBeGreaterThan(0);
  }, 180_000);
});
