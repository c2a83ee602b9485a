import fc from "fast-check";
import { describe, it } from "vitest";
import { repeat } from "../domain/testing/repeat.ts";
import { history, type Step } from "./testing/random-history.ts";
import { runHistory } from "./testing/history-run.ts";

/** Histories that found a bug. */
const KEPT: [{ isLinked: boolean; steps: Step[] }][] = [
  [
    {
      isLinked: false,
      steps: [
        { do: "write", name: "swap/in.txt", content: "" },
        { do: "snapshot" },
        { do: "nest", folder: "swap", commits: 1 },
      ],
    },
  ],
  [
    {
      isLinked: false,
      steps: [
        { do: "write", name: "swap/in.txt", content: "" },
        { do: "user", command: "add", name: "a.txt" },
        { do: "nest", folder: "swap", commits: 1 },
        { do: "exclude", text: "/swap\n" },
      ],
    },
  ],
  [
    {
      isLinked: false,
      steps: [
        { do: "write", name: "dir/c.txt", content: "one\n" },
        { do: "user", command: "commit", name: "a.txt" },
        { do: "snapshot" },
        { do: "link", name: "dir", to: "nowhere" },
        { do: "restore", target: 0, gaps: [], force: false },
      ],
    },
  ],
  [
    {
      isLinked: false,
      steps: [
        { do: "snapshot" },
        { do: "rules", folder: "dir/sub/", text: "" },
        { do: "snapshot" },
        { do: "write", name: "a.txt", content: "one\r\ntwo\n" },
        { do: "snapshot" },
        { do: "snapshot" },
        { do: "snapshot" },
        { do: "attributes", folder: "", text: "*.txt text eol=crlf\n" },
        { do: "link", name: "dir", to: "a.txt" },
        { do: "exclude", text: "*.txt\n" },
        { do: "restore", target: 47, gaps: [77, 29], force: false },
        { do: "restore", target: 17, gaps: [43], force: true },
      ],
    },
  ],
];

describe("snapshots in random histories", () => {
  it("D7 they are what plain Git finds, change nothing of the user's, and lead back", async () => {
    await fc.assert(
      fc.asyncProperty(history, ({ isLinked, steps }) => runHistory(isLinked, steps)),
      {
        examples: KEPT,
        numRuns: repeat({ short: 12, long: 600 }),
        // A busy machine does what it can in this time.
        interruptAfterTimeLimit: repeat({ short: 120_000, long: 270_000 }),
      },
    );
  });
});
