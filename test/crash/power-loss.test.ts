import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { repeat } from "../../packages/server/src/domain/testing/repeat.ts";
import { losePower } from "./lose-power.ts";
import { recordWrites } from "./record-writes.ts";
import { needTrace } from "./trace-writes.ts";

const MESSAGES = repeat({ short: 12, long: 40 });
/** Random moments, in addition to one after each response. */
const AT_RANDOM = repeat({ short: 30, long: 200 });
const SEED = 3;

describe("after a power loss", () => {
  it("every acknowledged message and every reported end of a run is stored, and the file is intact, whatever else the disk had written; no number of lost output is given again (P1, P4)", async () => {
    needTrace();
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-power-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const recording = await recordWrites(path.join(folder, "trace"), MESSAGES);
    const result = await losePower(recording, {
      folder: path.join(folder, "after-loss"),
      seed: SEED,
      atRandom: AT_RANDOM,
    });
    expect(result.wrong).toEqual([]);
    expect(result.moments).toBeGreaterThanOrEqual(AT_RANDOM);
    expect(result.confirmed.messages).toBeGreaterThanOrEqual(MESSAGES);
    // Otherwise there would have been nothing to lose.
    expect(result.unsynced).toBeGreaterThan(0);
    expect(result.lostOutput).toBeGreaterThan(0);
  }, 600_000);
});
