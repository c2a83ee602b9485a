import { expect, it } from "vitest";
import { judgeSoak } from "./judge.ts";
import type { ReaderFigures, SenderFigures } from "./load-messages.ts";
import type { Sample, SoakResult } from "./run-soak.ts";
import { fullPlan } from "./soak-plan.ts";

const LOAD_MS = 600_000;
const SAMPLE_MS = 5_000;
const MB = 1e6;

const plan = fullPlan(LOAD_MS);
const system = {
  processorMs: 0,
  residentBytes: 200 * MB,
  threads: 12,
  handles: 700,
  children: 50,
  zombies: 0,
};
const inside = {
  heapBytes: 60 * MB,
  externalBytes: 10 * MB,
  loopP50Ms: 1,
  loopP99Ms: 5,
  loopMaxMs: 9,
};
/** All within a millisecond. */
const quick = (count: number) => ({ counts: [count], maxMs: 1 });
const sender: SenderFigures = {
  acknowledged: 200,
  heldBack: 0,
  refused: { queue_full: 800 },
  repeated: 10,
  sends: quick(200),
  sessionsEnded: 2,
  messagesChecked: 100,
  violations: [],
};
const reader: ReaderFigures = {
  open: 150,
  events: 10_000,
  updates: quick(5_000),
  dropped: { steady: 0, slow: 1, returning: 0 },
  returned: 10,
  resets: 0,
  violations: [],
};
const load = { sender, readers: [reader, reader, reader] };
const sample: Sample = {
  atMs: 0,
  process: system,
  files: { databaseBytes: 5 * MB, walBytes: 16 * MB },
  inside,
  load,
};
const atRest = { ...system, handles: 40, children: 0, heapBytes: 26 * MB, externalBytes: 10 * MB };

function result(
  change: (sample: Sample, index: number) => Partial<Sample> = () => ({}),
  more: Partial<SoakResult> = {},
): SoakResult {
  return {
    plan,
    rehearsal: load,
    before: atRest,
    opening: load,
    openingMs: 0,
    samples: Array.from({ length: LOAD_MS / SAMPLE_MS }, (_, index) => {
      const plain = { ...sample, atMs: (index + 1) * SAMPLE_MS };
      return { ...plain, ...change(plain, index) };
    }),
    closing: load,
    after: atRest,
    stopped: { code: 0, tookMs: 500, agentsLeft: 0, walBytes: 0 },
    ...more,
  };
}

const broken = (judged: SoakResult): readonly string[] =>
  judgeSoak(judged).verdicts.flatMap(({ name, isGood }) => (isGood === false ? [name] : []));

it("a quiet run breaks nothing", () => {
  expect(broken(result())).toEqual([]);
});

it("a leak of a hundred bytes an update is seen, beside all noise", () => {
  const leaks = result(({ atMs }, index) => {
    const noise = ((index * 7) % 5) * MB;
    return { inside: { ...inside, heapBytes: inside.heapBytes + noise + atMs * 100 } };
  });
  expect(broken(leaks)).toEqual(["heap after a collection"]);
});

it("noise alone is no leak", () => {
  const noisy = result((_, index) => ({
    inside: { ...inside, heapBytes: inside.heapBytes + ((index * 7) % 11) * MB },
  }));
  expect(broken(noisy)).toEqual([]);
});

it("what is left when everything is gone is seen", () => {
  const left = { ...atRest, handles: 45, children: 1, heapBytes: 60 * MB, externalBytes: 60 * MB };
  expect(broken(result(undefined, { after: left }))).toEqual([
    "open handles before the load · after it",
    "child processes before the load · after it",
    "heap before the load · after it",
    "memory beside the heap before the load · after it",
  ]);
});

it("a stop that leaves something is seen", () => {
  const stopped = { code: null, tookMs: 20_000, agentsLeft: 1, walBytes: 4_096 };
  expect(broken(result(undefined, { stopped }))).toEqual([
    "at the stop: exit code, processes left, bytes in the write-ahead log",
  ]);
});

it("whatever anybody complains of is seen, also at the very end", () => {
  const closing = { sender, readers: [{ ...reader, violations: ["a gap"] }] };
  const { violations } = judgeSoak(result(undefined, { closing }));
  expect([violations, broken(result(undefined, { closing }))]).toEqual([
    ["a gap"],
    ["gaps, repetitions, lost or doubled messages, failed requests"],
  ]);
});

it("processes, handles, the log and clients are bounded", () => {
  const bad = result((_, index) => ({
    process: {
      ...system,
      handles: 700 + index * 10,
      threads: 20,
      children: 60,
      zombies: index > 60 ? 2 : 0,
    },
    files: { databaseBytes: 5 * MB, walBytes: index * MB },
    load: { sender, readers: [{ ...reader, dropped: { steady: 1, slow: 0, returning: 0 } }] },
  }));
  expect(broken(bad)).toEqual([
    "other clients dropped",
    "open handles, the most",
    "threads, the most",
    "child processes, the most",
    "zombies in ten samples running",
    "write-ahead log, MB, the most",
  ]);
});

it("a run that is slow, or did not make its load, is seen", () => {
  const bucketOfSeconds = 300;
  const slow = { counts: Array.from({ length: bucketOfSeconds + 1 }, () => 1), maxMs: 3_000 };
  const late = result(() => ({
    load: {
      sender: { ...sender, sends: slow, acknowledged: 1 },
      readers: [{ ...reader, updates: slow }],
    },
  }));
  expect(broken(late)).toEqual([
    "messages sent, a second",
    "updates of agents, a second",
    "an agent's write to a client's receipt, p50 · p99",
    "a message until it is acknowledged, p50 · p99",
  ]);
});
