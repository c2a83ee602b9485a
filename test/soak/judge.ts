import { addLatencies, countOf, percentileMs, type Latencies } from "./latencies.ts";
import type { ClientKind } from "./load-messages.ts";
import type { Sample, SoakResult } from "./run-soak.ts";
import { slopeOf, type Slope } from "./slope.ts";

/** One line of the result: the measured value and its bound. */
export interface Verdict {
  readonly name: string;
  readonly measured: string;
  readonly bound: string;
  /** Null for values without a bound. */
  readonly isGood: boolean | null;
}

export interface Judgement {
  readonly verdicts: readonly Verdict[];
  /** All violations that clients and senders reported. */
  readonly violations: readonly string[];
}

const MB = 1e6;
/** Twice the size at which a commit checkpoints the log: readers may delay its reuse. */
const WAL_MB = 80;
/** The program's own handles vary: files being read, connections being closed. */
const SPARE_HANDLES = 2;
/** Active requests, and connections kept alive. */
const SPARE_CONNECTIONS = 400;
/** Stdin, stdout, stderr and the journal. */
const HANDLES_PER_AGENT = 5;
const ZOMBIE_SAMPLES = 10;
/** Buffers of connections are released late. */
const LEFT_OUTSIDE_HEAP_MB = 24;
const LOAD_REACHED = 0.95;

export function judgeSoak(result: SoakResult): Judgement {
  const violations = loadsOf(result).flatMap(({ sender, readers }) => [
    ...sender.violations,
    ...readers.flatMap((reader) => reader.violations),
  ]);
  return {
    violations,
    verdicts: [
      {
        name: "gaps, repetitions, lost or duplicate messages, failed requests",
        measured: String(violations.length),
        bound: "0",
        isGood: violations.length === 0,
      },
      ...loadVerdicts(result),
      ...timeVerdicts(result),
      ...memoryVerdicts(result),
      ...processVerdicts(result),
      ...endVerdicts(result),
    ],
  };
}

function loadVerdicts(result: SoakResult): readonly Verdict[] {
  const { plan, samples } = result;
  const loads = loadsOf(result);
  const total = (count: (load: Sample["load"]) => number): number => sum(loads.map(count));
  const sumOfReaders = (count: (reader: Sample["load"]["readers"][number]) => number): number =>
    total(({ readers }) => sum(readers.map(count)));
  const dropped = (kind: ClientKind): number => sumOfReaders((reader) => reader.dropped[kind]);
  const seconds = (samples.at(-1)?.atMs ?? 0) / 1_000;
  const processorMs = (samples.at(-1)?.process.processorMs ?? 0) - result.openingMs;
  const during = samples.map(({ load }) => load);
  const sent = sum(
    during.map(({ sender }) => sender.acknowledged + sum(Object.values(sender.refused))),
  );
  const updates = sum(during.map(({ readers }) => countOf(readers[0]?.updates ?? { counts: [] })));
  const refused = total(({ sender }) => sum(Object.values(sender.refused)));
  const plannedUpdates = plan.speakers * plan.updatesPerSecond;
  return [
    {
      name: "messages sent per second",
      measured: (sent / seconds).toFixed(0),
      bound: `${plan.sendsPerSecond}, less 5 %`,
      isGood: sent / seconds >= plan.sendsPerSecond * LOAD_REACHED,
    },
    {
      name: "agent updates per second",
      measured: (updates / seconds).toFixed(0),
      bound: `${plannedUpdates}, less 10 %`,
      // An agent sends nothing while its session is replaced.
      isGood: updates / seconds >= plannedUpdates * 0.9,
    },
    {
      name: "CPU cores used by the server",
      measured: (processorMs / 1_000 / seconds).toFixed(2),
      bound: "",
      isGood: null,
    },
    unbounded(
      "messages acknowledged",
      total(({ sender }) => sender.acknowledged),
    ),
    unbounded("messages refused: queue full, session busy", refused),
    unbounded(
      "messages sent again with the same key",
      total(({ sender }) => sender.repeated),
    ),
    unbounded(
      "sessions checked, deleted and replaced",
      total(({ sender }) => sender.sessionsEnded),
    ),
    unbounded(
      "events read by clients",
      sumOfReaders(({ events }) => events),
    ),
    unbounded(
      "clients that disconnected and came back",
      sumOfReaders(({ returned }) => returned),
    ),
    unbounded("slow clients dropped", dropped("slow")),
    {
      name: "other clients dropped",
      measured: String(dropped("steady") + dropped("returning")),
      bound: "0",
      isGood: dropped("steady") + dropped("returning") === 0,
    },
  ];
}

function timeVerdicts(result: SoakResult): readonly Verdict[] {
  const { times } = result.plan.bounds;
  const samples = warm(result);
  const verdict = (name: string, latencies: Latencies, boundMs: number): Verdict => {
    const p99 = percentileMs(latencies, 0.99);
    return {
      name,
      measured: `${ms(percentileMs(latencies, 0.5))} · ${ms(p99)}`,
      bound: `p99 under ${boundMs} ms`,
      isGood: p99 < boundMs,
    };
  };
  const updates = addLatencies(samples.map(({ load }) => load.readers[0]?.updates ?? NONE));
  const sends = addLatencies(samples.map(({ load }) => load.sender.sends));
  return [
    verdict("latency from agent to client, p50 · p99", updates, times.updateP99Ms),
    verdict("time to acknowledge a message, p50 · p99", sends, times.sendP99Ms),
    {
      name: "event loop delay, median of p50 · p99",
      measured: `${ms(median(samples.map(({ inside }) => inside.loopP50Ms)))} · ${ms(median(samples.map(({ inside }) => inside.loopP99Ms)))}`,
      bound: "",
      isGood: null,
    },
  ];
}

const NONE: Latencies = { counts: [], maxMs: 0 };

function memoryVerdicts(result: SoakResult): readonly Verdict[] {
  const { heapMbPerHour, residentMbPerHour } = result.plan.bounds;
  const samples = warm(result);
  const verdict = (
    name: string,
    { valueOf, bound }: { valueOf: (sample: Sample) => number; bound: number | null },
  ): Verdict => {
    const slope = slopeOf(samples.map((each) => ({ atMs: each.atMs, value: valueOf(each) / MB })));
    const last = samples.at(-1);
    const now = last === undefined ? Number.NaN : valueOf(last) / MB;
    return {
      name,
      measured: `${now.toFixed(0)} MB, ${printSlope(slope)}`,
      bound: bound === null ? "" : `under ${bound} MB an hour`,
      isGood: bound === null ? null : slope.perHour - slope.marginPerHour < bound,
    };
  };
  return [
    verdict("heap after garbage collection", {
      valueOf: ({ inside }) => inside.heapBytes,
      bound: heapMbPerHour,
    }),
    verdict("resident memory", {
      valueOf: (sample) => sample.process.residentBytes,
      bound: residentMbPerHour,
    }),
  ];
}

function processVerdicts(result: SoakResult): readonly Verdict[] {
  const { plan, samples, before } = result;
  const most = (valueOf: (sample: Sample) => number): number =>
    Math.max(0, ...samples.map(valueOf));
  const clients = plan.sessionClients + plan.globalClients;
  const handles = before.handles + clients + plan.sessions * HANDLES_PER_AGENT + SPARE_CONNECTIONS;
  const wal = most(({ files }) => files.walBytes) / MB;
  const atMost = (name: string, measured: number, bound: number): Verdict => ({
    name,
    measured: measured.toFixed(0),
    bound: `at most ${bound}`,
    isGood: measured <= bound,
  });
  return [
    atMost(
      "open handles, maximum",
      most((sample) => sample.process.handles),
      handles,
    ),
    atMost(
      "threads, maximum",
      most((sample) => sample.process.threads),
      before.threads + 4,
    ),
    // An agent may still be exiting while the next one starts.
    atMost(
      "child processes, maximum",
      most((sample) => sample.process.children),
      plan.sessions + 5,
    ),
    atMost("zombies in ten consecutive samples", persistentZombies(samples), 0),
    atMost("write-ahead log, MB, maximum", wal, WAL_MB),
    unbounded(
      "database, MB, at the end",
      Math.round((samples.at(-1)?.files.databaseBytes ?? 0) / MB),
    ),
  ];
}

/** On a busy machine, an exited process stays a zombie until the server runs. */
function persistentZombies(samples: readonly Sample[]): number {
  const counts = samples.map((sample) => sample.process.zombies);
  const windows = counts
    .slice(ZOMBIE_SAMPLES - 1)
    .map((_, index) => Math.min(...counts.slice(index, index + ZOMBIE_SAMPLES)));
  return Math.max(0, ...windows);
}

function endVerdicts({ plan, before, after, stopped }: SoakResult): readonly Verdict[] {
  const notAbove = (name: string, now: number, then: number): Verdict => ({
    name: `${name} before · after the load`,
    measured: `${then} · ${now}`,
    bound: "no more than before",
    isGood: now <= then,
  });
  return [
    {
      ...notAbove("open handles", after.handles, before.handles),
      isGood: after.handles <= before.handles + SPARE_HANDLES,
    },
    notAbove("threads", after.threads, before.threads),
    notAbove("child processes", after.children, before.children),
    left("heap", { before: before.heapBytes, after: after.heapBytes, mb: plan.bounds.leftMb }),
    left("memory outside the heap", {
      before: before.externalBytes,
      after: after.externalBytes,
      mb: LEFT_OUTSIDE_HEAP_MB,
    }),
    {
      name: "after the stop: exit code, remaining processes, bytes in the write-ahead log",
      measured: `${stopped.code ?? "killed"}, ${stopped.agentsLeft}, ${stopped.walBytes}`,
      bound: "0, 0, 0",
      isGood: stopped.code === 0 && stopped.agentsLeft === 0 && stopped.walBytes === 0,
    },
  ];
}

function loadsOf({ rehearsal, opening, samples, closing }: SoakResult): readonly Sample["load"][] {
  return [rehearsal, opening, ...samples.map(({ load }) => load), closing];
}

function left(
  name: string,
  { before, after, mb }: { readonly before: number; readonly after: number; readonly mb: number },
): Verdict {
  return {
    name: `${name} before · after the load`,
    measured: `${(before / MB).toFixed(1)} · ${(after / MB).toFixed(1)} MB`,
    bound: `at most ${mb} MB more`,
    isGood: after <= before + mb * MB,
  };
}

function warm({ plan, samples }: SoakResult): readonly Sample[] {
  return samples.filter(({ atMs }) => atMs > plan.warmUpMs);
}

function unbounded(name: string, value: number | string): Verdict {
  const measured = typeof value === "number" ? value.toLocaleString("en") : value;
  return { name, measured, bound: "", isGood: null };
}

function printSlope({ perHour, marginPerHour }: Slope): string {
  const margin = Number.isFinite(marginPerHour) ? marginPerHour.toFixed(0) : "?";
  return `${perHour < 0 ? "−" : "+"}${Math.abs(perHour).toFixed(0)} ± ${margin} MB an hour`;
}

function ms(value: number): string {
  return value >= 100 ? `${value.toFixed(0)} ms` : `${value.toPrecision(2)} ms`;
}

function median(values: readonly number[]): number {
  return (
    values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
