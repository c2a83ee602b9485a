import { expect, it } from "vitest";
import { AT, sampleRun, sampleSession } from "../session/testing/samples.ts";
import { changesStamp, runsToChoose, toQuery } from "./scope.ts";

const COUNTS = { files: 1, added: 1, deleted: 0 };
const RUNS = [
  sampleRun("r1", { changes: COUNTS }),
  sampleRun("r2"),
  sampleRun("r3", { changes: { ...COUNTS, files: 0 } }),
  sampleRun("r4", { changes: COUNTS }),
];

it("D7 a scope is a question to the server", () => {
  expect(
    ([{ of: "session" }, { of: "last" }, { of: "run", runId: "r1" }] as const).map(toQuery),
  ).toEqual([{}, { run: "last" }, { run: "r1" }]);
});

it("D7 runs that changed files can be chosen, the newest first, and the run that is shown", () => {
  const idsOf = (runId: string) => runsToChoose(RUNS, { of: "run", runId }).map((run) => run.id);
  expect(idsOf("r1")).toEqual(["r4", "r1"]);
  expect(idsOf("r2")).toEqual(["r4", "r2", "r1"]);
});

it("D7 the changes are read again when a run, the session or a rewind says so, and not otherwise", () => {
  const session = sampleSession({ changes: COUNTS });
  const stamp = changesStamp(session, RUNS);
  const rewind = { id: "w", run: "r1", undoes: null, status: "done", error: null } as const;
  const renamed = sampleSession({ changes: COUNTS, title: "Other", version: 9 });
  expect(changesStamp(renamed, [...RUNS])).toBe(stamp);
  const others = [
    changesStamp(session, [...RUNS, sampleRun("r5", { changes: COUNTS })]),
    changesStamp(session, RUNS.with(0, sampleRun("r1", { changes: COUNTS, rewoundAt: AT }))),
    changesStamp({ ...session, changes: { ...COUNTS, added: 2 } }, RUNS),
    changesStamp({ ...session, rewind }, RUNS),
  ];
  expect(new Set([stamp, ...others]).size).toBe(5);
});
