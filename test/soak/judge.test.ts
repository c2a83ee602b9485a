import { expect, it } from "vitest";
import { judgeSoak } from "./judge.ts";
import type { ReaderFigures, SenderFigures } from "./load-messages.ts";
import type { Sample, SoakResult } from "./run-soak.ts";
import { planFor } from "./soak-plan.ts";

const LOAD_MS = 600_000;
const SAMPLE_MS = 5_000;
const HOUR_MS = 3_600_000;
const MB = 1e6;

const plan = planFor(LOAD_MS, { cores: 8 });
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
/** All within one millisecond. */
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
  changes: Partial<SoakResult> = {},
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
    ...changes,
  };
}

const broken = (soak: SoakResult): readonly string[] =>
  judgeSoak(soak).verdicts.flatMap(({ name, isGood }) => (isGood === false ? [name] : []));

it("a good run breaks no bound", () => {
  expect(broken(result())).toEqual([]);
});

it("a leak of a hundred bytes per update is detected despite noise", () => {
  const leaks = result(({ atMs }, index) => {
    const noise = ((index * 7) % 5) * MB;
    return { inside: { ...inside, heapBytes: inside.heapBytes + noise + atMs * 100 } };
  });
  expect(broken(leaks)).toEqual(["heap after garbage collection"]);
});

it.each([
  { mbPerHour: 4, bounds: ["heap after garbage collection"] },
  { mbPerHour: 1, bounds: [] },
])("two hours show a growth of $mbPerHour MB per hour despite noise", ({ mbPerHour, bounds }) => {
  const twoHours = planFor(2 * HOUR_MS, { cores: 8 });
  const sampleMs = twoHours.sampleMs;
  const samples = Array.from({ length: twoHours.loadMs / sampleMs }, (_, index) => {
    const atMs = (index + 1) * sampleMs;
    const noise = ((index * 7) % 11) * MB;
    const grown = (atMs / HOUR_MS) * mbPerHour * MB;
    const scale = sampleMs / SAMPLE_MS;
    const readers = load.readers.map((each) => ({ ...each, updates: quick(5_000 * scale) }));
    const busy = { ...sender, acknowledged: 200 * scale, refused: { queue_full: 800 * scale } };
    const heapBytes = inside.heapBytes + noise + grown;
    return { ...sample, atMs, inside: { ...inside, heapBytes }, load: { sender: busy, readers } };
  });
  expect(twoHours.sessions).toBe(50);
  expect(broken(result(undefined, { plan: twoHours, samples }))).toEqual(bounds);
});

it("noise alone is not a leak", () => {
  const noisy = result((_, index) => ({
    inside: { ...inside, heapBytes: inside.heapBytes + ((index * 7) % 11) * MB },
  }));
  expect(broken(noisy)).toEqual([]);
});

it("leftovers after the load are detected", () => {
  const after = { ...atRest, handles: 45, children: 1, heapBytes: 60 * MB, externalBytes: 60 * MB };
  expect(broken(result(undefined, { after }))).toEqual([
    "open handles before · after the load",
    "child processes before · after the load",
    "heap before · after the load",
    "memory outside the heap before · after the load",
  ]);
});

it("leftovers after the stop are detected", () => {
  const stopped = { code: null, tookMs: 20_000, agentsLeft: 1, walBytes: 4_096 };
  expect(broken(result(undefined, { stopped }))).toEqual([
    "after the stop: exit code, remaining processes, bytes in the write-ahead log",
  ]);
});

it("every violation is reported, even at the very end", () => {
  const closing = { sender, readers: [{ ...reader, violations: ["a gap"] }] };
  const { violations } = judgeSoak(result(undefined, { closing }));
  expect([violations, broken(result(undefined, { closing }))]).toEqual([
    ["a gap"],
    ["gaps, repetitions, lost or duplicate messages, failed requests"],
  ]);
});

it("processes, handles, the log and clients have bounds", () => {
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
    "open handles, maximum",
    "threads, maximum",
    "child processes, maximum",
    "zombies in ten consecutive samples",
    "write-ahead log, MB, maximum",
  ]);
});

it("a run that is slow or does not reach its load is detected", () => {
  const bucketOfSeconds = 300;
  const slow = { counts: Array.from({ length: bucketOfSeconds + 1 }, () => 1), maxMs: 3_000 };
  const slowRun = result(() => ({
    load: {
      sender: { ...sender, sends: slow, acknowledged: 1 },
      readers: [{ ...reader, updates: slow }],
    },
  }));
  expect(broken(slowRun)).toEqual([
    "messages sent per second",
    "agent updates per second",
    "latency from agent to client, p50 · p99",
    "time to acknowledge a message, p50 · p99",
  ]);
});
