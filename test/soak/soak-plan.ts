import { repeat } from "../machine/repeat.ts";

export interface SoakPlan {
  /** Sessions with a live agent at a time. */
  readonly sessions: number;
  /** Of these, sessions whose agents never stop speaking. */
  readonly speakers: number;
  /** Of each speaker. */
  readonly updatesPerSecond: number;
  /** How long a speaker speaks in one run. */
  readonly runMs: number;
  /** How long the other agents take for an answer. */
  readonly answerMs: number;
  /** Event streams of single sessions. */
  readonly sessionClients: number;
  /** Event streams of all sessions together. */
  readonly globalClients: number;
  readonly sendsPerSecond: number;
  readonly loadMs: number;
  /** At the beginning of the load; not counted for slopes and times. */
  readonly warmUpMs: number;
  readonly sampleMs: number;
  /** How long a session lives until it is checked, deleted and replaced. */
  readonly sessionMs: number;
  readonly bounds: SoakBounds;
}

export interface SoakBounds {
  /**
   * By how much the heap may grow, after a collection; a run fails when the slope is above it with 95 % confidence.
   * Short runs are still filling what is kept for readers, so that theirs is wider. Null where the run is too short to tell.
   */
  readonly heapMbPerHour: number | null;
  /** How much larger the heap may be when everything is gone than before anything was there. */
  readonly leftMb: number;
  /** Null where the run is too short to tell: the allocator gives back late. */
  readonly residentMbPerHour: number | null;
  /** Null where others use the machine as they like. */
  readonly times: { readonly updateP99Ms: number; readonly sendP99Ms: number } | null;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The load that is promised, for as long as one likes. */
export function fullPlan(loadMs: number): SoakPlan {
  const isLong = loadMs >= 8 * MINUTE;
  const sessionMs = Math.min(2 * MINUTE, loadMs / 4);
  return {
    sessions: 50,
    speakers: 20,
    updatesPerSecond: 50,
    runMs: 4 * SECOND,
    // So that queues are soon full: more would be refused anyway.
    answerMs: SECOND,
    sessionClients: 450,
    globalClients: 50,
    sendsPerSecond: 200,
    loadMs,
    // By then the first sessions have made room for others, and all ages are there.
    warmUpMs: sessionMs + 15 * SECOND,
    sampleMs: Math.min(10 * SECOND, Math.max(3 * SECOND, loadMs / 120)),
    sessionMs,
    bounds: {
      // 60 MB an hour are 16 bytes for each update, or 80 for each message sent.
      heapMbPerHour: isLong ? 60 : 600,
      // In ten minutes, 20 bytes for each update, or 100 for each message sent.
      leftMb: 12,
      residentMbPerHour: isLong ? 300 : null,
      times: { updateP99Ms: 1_000, sendP99Ms: 1_000 },
    },
  };
}

/** Small enough to run beside other tests. A slope needs the load of the long run; what is left at the end is judged in both. */
export const shortPlan: SoakPlan = {
  sessions: 20,
  speakers: 8,
  updatesPerSecond: 50,
  runMs: 2 * SECOND,
  answerMs: 300,
  sessionClients: 85,
  globalClients: 15,
  sendsPerSecond: 50,
  ...repeat({
    short: { loadMs: 6 * SECOND, warmUpMs: SECOND, sessionMs: 3 * SECOND },
    long: { loadMs: 18 * SECOND, warmUpMs: 8 * SECOND, sessionMs: 6 * SECOND },
  }),
  sampleMs: SECOND,
  bounds: {
    heapMbPerHour: repeat({ short: null, long: 1_000 }),
    // Some 7,000 updates in the long run, 2,400 in the short one: 900 bytes left of each would be too much.
    leftMb: repeat({ short: 4, long: 6 }),
    residentMbPerHour: null,
    times: null,
  },
};

/** A little of everything, so that what is made or read once is there before anything is counted. */
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

/** As one process gives it to another. */
export function parsePlan(text: string): SoakPlan {
  return JSON.parse(text);
}
