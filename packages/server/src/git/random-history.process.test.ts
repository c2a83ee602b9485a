import fc from "fast-check";
import { describe, it } from "vitest";
import { repeat } from "../domain/testing/repeat.ts";
import { history } from "./testing/random-history.ts";
import { runHistory } from "./testing/history-run.ts";

describe("snapshots in random histories", () => {
  it("D7 they are what plain Git finds, change nothing of the user's, and lead back", async () => {
    await fc.assert(
      fc.asyncProperty(history, ({ isLinked, steps }) => runHistory(isLinked, steps)),
      {
        numRuns: repeat({ short: 12, long: 600 }),
        // A busy machine does what it can in this time.
        interruptAfterTimeLimit: repeat({ short: 120_000, long: 270_000 }),
      },
    );
  });
});
