export interface SoakPlan {
  /** Number of sessions with a live agent at a time. */
  readonly sessions: number;
  /** Number of sessions whose agents stream continuously. */
  readonly speakers: number;
  /** Updates of each streaming agent. */
  readonly updatesPerSecond: number;
  /** Duration of one run of a streaming agent. */
  readonly runMs: number;
  /** How long the other agents take to answer. */
  readonly answerMs: number;
  /** Event streams of single sessions. */
  readonly sessionClients: number;
  /** Event streams of all sessions. */
  readonly globalClients: number;
  readonly sendsPerSecond: number;
  readonly loadMs: number;
  /** Start of the load, excluded from slopes and latencies. */
  readonly warmUpMs: number;
  readonly sampleMs: number;
  /** Time until a session is checked, deleted and replaced. */
  readonly sessionMs: number;
  readonly bounds: SoakBounds;
}

export interface SoakBounds {
  /**
   * Growth of the heap after garbage collection. A run fails if the slope is above it with 95 % confidence. The bound
   * of short runs is wider, because caches for readers are still filling.
   */
  readonly heapMbPerHour: number;
  /** How much larger the heap may be after the load than before. */
  readonly leftMb: number;
  /** Null if the run is too short, because the allocator releases memory late. */
  readonly residentMbPerHour: number | null;
  readonly times: { readonly updateP99Ms: number; readonly sendP99Ms: number };
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The full load needs this many cores: the server needs two, its clients and agents the others. */
const CORES_FOR_FULL_LOAD = 6;

/** Fifty agents for any duration. What they and the clients do is as much as this many cores can do with a reserve. */
export function planFor(loadMs: number, { cores }: { readonly cores: number }): SoakPlan {
  const share = Math.min(1, cores / CORES_FOR_FULL_LOAD);
  const isLong = loadMs >= 8 * MINUTE;
  const isForHours = loadMs >= 120 * MINUTE;
  const sessionMs = Math.min(2 * MINUTE, loadMs / 4);
  return {
    sessions: 50,
    speakers: 20,
    updatesPerSecond: Math.round(50 * share),
    runMs: 4 * SECOND,
    // Fills the queues soon, so that further messages are refused.
    answerMs: SECOND,
    sessionClients: Math.round(450 * share),
    globalClients: Math.round(50 * share),
    sendsPerSecond: Math.round(200 * share),
    loadMs,
    // By then the first sessions have been replaced, and there are sessions of all ages.
    warmUpMs: sessionMs + 15 * SECOND,
    sampleMs: Math.min(10 * SECOND, Math.max(3 * SECOND, loadMs / 120)),
    sessionMs,
    bounds: {
      // 60 MB per hour are 16 bytes per update, or 80 per message sent. Two hours show a slope of 2 MB per hour.
      heapMbPerHour: isForHours ? 2 : isLong ? 60 : 600,
      // In ten minutes, 20 bytes per update, or 100 per message sent.
      leftMb: 12,
      residentMbPerHour: isLong ? 300 : null,
      times: { updateP99Ms: 1_000, sendP99Ms: 1_000 },
    },
  };
}

/** A short load of every kind, so that one-time allocations happen before the measurement. */
export function rehearsalOf(plan: SoakPlan): SoakPlan {
  return {
    ...plan,
    sessions: 4,
    speakers: 2,
    runMs: SECOND / 2,
    answerMs: 100,
    sessionClients: 16,
    globalClients: 4,
    sendsPerSecond: 20,
    loadMs: 2 * SECOND,
    sessionMs: SECOND,
  };
}

/** Parses a plan from another process. */
export function parsePlan(text: string): SoakPlan {
  return JSON.parse(text);
}
