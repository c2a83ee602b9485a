/** Long enough for many lines, and too short to be noticed by a request. */
export const SLICE_MS = 1;
/** Work that took much longer than a slice, such as one very long line, is followed by a longer rest. */
const LONG_SLICE_MS = 4 * SLICE_MS;
const LONG_REST_FACTOR = 4;
/** An agent that has written something within this time is at work. */
const AT_WORK_MS = 1_000;

/**
 * The share of one agent's output in the time of this thread. What has arrived is handled at once, for at most a slice
 * of time. An agent that writes more takes turns with others like it, one slice in each round of the event loop, and rests
 * between its slices while another agent is at work. Its pipe is not read meanwhile, so the agent waits.
 */
export interface Share {
  /** The agent has written something. */
  noteOutput(): void;
  /** Calls `work` in the next slice. `spentMs`: how long the last one took. */
  takeSlice(work: () => void, spentMs: number): void;
}

export function openShare(): Share {
  const share: Share = {
    noteOutput: () => noteOutput(share),
    takeSlice: (work, spentMs) => {
      const restMs = restAfter(spentMs, isAnotherAtWork(share));
      if (restMs === 0) enqueue(work);
      else setTimeout(() => enqueue(work), restMs);
    },
  };
  return share;
}

function restAfter(spentMs: number, isAnother: boolean): number {
  if (spentMs > LONG_SLICE_MS) return spentMs * LONG_REST_FACTOR;
  return isAnother ? Math.max(SLICE_MS, spentMs) : 0;
}

interface Speaker {
  readonly share: Share;
  at: number;
}

/** The last two agents that wrote something. */
let newest: Speaker | null = null;
let other: Speaker | null = null;

function noteOutput(share: Share): void {
  const at = performance.now();
  if (newest?.share === share) {
    newest.at = at;
    return;
  }
  other = newest;
  newest = { share, at };
}

function isAnotherAtWork(share: Share): boolean {
  const another = newest?.share === share ? other : newest;
  return another !== null && performance.now() - another.at < AT_WORK_MS;
}

const waiting: (() => void)[] = [];

function enqueue(work: () => void): void {
  waiting.push(work);
  if (waiting.length === 1) setImmediate(nextSlice);
}

function nextSlice(): void {
  const [work] = waiting;
  try {
    work?.();
  } finally {
    waiting.shift();
    if (waiting.length > 0) setImmediate(nextSlice);
  }
}
