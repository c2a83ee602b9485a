import {
  addToTally,
  createTally,
  rateOf,
  totalsOf,
  type EndedRun,
  type RunTotals,
  type Tally,
} from "./stats-tally.ts";
import type { StatsSpan } from "./stats-phases.ts";

/** Statistics per time bucket, including empty buckets. */
export interface OverTime {
  /** An hour, a day, a week, or several weeks. */
  readonly bucketMs: number;
  readonly buckets: readonly StatsBucket[];
}

export interface StatsBucket extends RunTotals {
  /** In UTC: a full hour, midnight, or Monday at midnight. */
  readonly start: number;
  /** Sessions created in it. */
  readonly sessions: number;
  /** Continued sessions among those whose last interruption was in it. */
  readonly resumeRate: number | null;
}

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
/** The first Monday of the epoch. */
const MONDAY = 4 * DAY_MS;
const MAX_BUCKETS = 200;

interface Bucket extends Tally {
  sessions: number;
  cutOff: number;
  wentOn: number;
}

/** Without a lower bound, the range begins with the first session that is added. */
export function createOverTime(span: StatsSpan) {
  let scale = span.from === -Infinity ? null : scaleOf(span);
  let buckets = createBuckets(scale);

  /** A time outside the range, after a clock change, counts in the nearest bucket. */
  const bucketAt = (at: number): Bucket | undefined => {
    if (scale === null) return undefined;
    const index = Math.floor((at - scale.start) / scale.bucketMs);
    return buckets[Math.min(Math.max(index, 0), scale.count - 1)];
  };

  return {
    addSession({ createdAt }: { readonly createdAt: number }): void {
      if (scale === null) {
        scale = scaleOf({ ...span, from: createdAt });
        buckets = createBuckets(scale);
      }
      const bucket = bucketAt(createdAt);
      if (bucket !== undefined && createdAt >= span.from && createdAt < span.to)
        bucket.sessions += 1;
    },
    addRun(run: EndedRun): void {
      const bucket = bucketAt(run.endedAt);
      if (bucket !== undefined) addToTally(bucket, run);
    },
    addCut({ at, wentOn }: { readonly at: number; readonly wentOn: boolean }): void {
      const bucket = bucketAt(at);
      if (bucket === undefined) return;
      bucket.cutOff += 1;
      if (wentOn) bucket.wentOn += 1;
    },
    read(): OverTime {
      const { start, bucketMs } = scale ?? { start: 0, bucketMs: DAY_MS };
      return {
        bucketMs,
        buckets: buckets.map((bucket, index) => toStatsBucket(bucket, start + index * bucketMs)),
      };
    },
  };
}

interface Scale {
  readonly start: number;
  readonly bucketMs: number;
  readonly count: number;
}

function scaleOf({ from, to, now }: StatsSpan): Scale | null {
  if (to <= from) return null;
  const last = Math.max(from, Math.min(to, now) - 1);
  const lengthMs = last - from;
  if (lengthMs < 48 * HOUR_MS) return scaleWith(from, last, HOUR_MS);
  if (lengthMs < 180 * DAY_MS) return scaleWith(from, last, DAY_MS);
  for (let weeks = Math.max(1, Math.ceil(lengthMs / WEEK_MS / MAX_BUCKETS)); ; weeks += 1) {
    const scale = scaleWith(from, last, weeks * WEEK_MS);
    if (scale.count <= MAX_BUCKETS) return scale;
  }
}

function scaleWith(from: number, last: number, bucketMs: number): Scale {
  const offset = bucketMs < WEEK_MS ? 0 : MONDAY;
  const start = Math.floor((from - offset) / bucketMs) * bucketMs + offset;
  return { start, bucketMs, count: Math.floor((last - start) / bucketMs) + 1 };
}

function createBuckets(scale: Scale | null): readonly Bucket[] {
  return Array.from({ length: scale?.count ?? 0 }, () => ({
    sessions: 0,
    ...createTally(),
    cutOff: 0,
    wentOn: 0,
  }));
}

function toStatsBucket({ cutOff, wentOn, ...bucket }: Bucket, start: number): StatsBucket {
  return { start, ...totalsOf(bucket), resumeRate: rateOf(wentOn, cutOff) };
}
