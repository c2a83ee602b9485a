/** A row of the table. */
export interface Measure {
  readonly name: string;
  readonly unit: "ms" | "MiB" | "KiB" | "B" | "/s" | "µs" | "of 150";
  /** Percentile of the readings of one repetition. */
  readonly part: 0.5 | 0.99;
  readonly goal: Goal | null;
}

export type Goal =
  /** Times the figure of what it is compared with, in the same run. */
  | { readonly atMost: number }
  | { readonly atLeast: number }
  /** The figure itself, in the unit of the measure. */
  | { readonly ownAtMost: number }
  | { readonly all: number };

const half = { part: 0.5 } as const;
const ms = { unit: "ms", ...half } as const;
const perSecond = { unit: "/s", ...half } as const;
const memory = { unit: "KiB", ...half } as const;

export const MEASURES = {
  start: { name: "cold start → healthy", ...ms, goal: null },
  firstSession: { name: "cold start → first session", ...ms, goal: { atMost: 2.5 } },
  idleMemory: { name: "RSS idle", unit: "MiB", ...half, goal: { ownAtMost: 85 } },
  create: { name: "create session, p50", ...ms, goal: null },
  createInRow: { name: "create, back to back, p50", ...ms, goal: { atMost: 2.5 } },
  createRate: { name: "create, 32 concurrent", ...perSecond, goal: { atLeast: 0.6 } },
  list10k: { name: "list, default page, 10,000 stored, p50", ...ms, goal: { atMost: 2 } },
  listAgain: { name: "list again, nothing changed, p50", ...ms, goal: null },
  list100k: { name: "list, default page, 100,000 stored, p50", ...ms, goal: { atMost: 2 } },
  get: { name: "GET one session, p50", ...ms, goal: { atMost: 3 } },
  last50: { name: "last 50 of 10,000 messages, p50", ...ms, goal: { atMost: 2 } },
  toAgent: { name: "POST message → agent reads it, p50", ...ms, goal: { atMost: 2.2 } },
  firstToken: { name: "first token → client, p50", ...ms, goal: { atMost: 1.6 } },
  firstAnswer: { name: "first message of a session → first token, p50", ...ms, goal: null },
  endOfTurn: { name: "last word of the agent → turn ended, p50", ...ms, goal: { ownAtMost: 6 } },
  turnCpu: { name: "CPU of a turn with one update", ...ms, goal: { atMost: 3 } },
  update50: { name: "update latency at 100/s, p50", ...ms, goal: { atMost: 2 } },
  update99: {
    name: "update latency at 100/s, p99",
    unit: "ms",
    part: 0.99,
    goal: { atMost: 3 },
  },
  throughput: { name: "update throughput, 1 client", ...perSecond, goal: { atLeast: 0.75 } },
  cpu: { name: "CPU per update", unit: "µs", ...half, goal: { atMost: 3 } },
  eventCpu: { name: "CPU per update stored alone, server and database", ...ms, goal: null },
  fanOut: {
    name: "fan-out to 1,000 clients, deliveries",
    ...perSecond,
    goal: { atLeast: 0.75 },
  },
  kept: {
    name: "kill -9 during an answer: of 150 shown updates, kept",
    unit: "of 150",
    ...half,
    goal: { all: 150 },
  },
  recovery: { name: "kill → next message answered", ...ms, goal: { atMost: 2.5 } },
  clientMemory: { name: "memory per reading client", ...memory, goal: null },
  agentMemory: { name: "memory per live agent, without its process", ...memory, goal: null },
  sessionMemory: {
    name: "memory per stored idle session",
    unit: "B",
    ...half,
    goal: null,
  },
} as const satisfies Readonly<Record<string, Measure>>;

/** Goals of Holdfast on PostgreSQL. Ratios are to Holdfast on SQLite. */
export const POSTGRES_GOALS: Readonly<Partial<Record<MeasureId, Goal>>> = {
  toAgent: { atMost: 1.6 },
};

export type MeasureId = keyof typeof MEASURES;

export const MEASURE_IDS: readonly MeasureId[] = Object.keys(MEASURES).filter(
  (key): key is MeasureId => key in MEASURES,
);
