/** A row of the table. A goal is a ratio to the floor in the same run. */
export interface Measure {
  readonly name: string;
  readonly unit: "ms" | "MiB" | "KiB" | "B" | "/s" | "µs" | "of 150";
  /** Percentile of the readings of one repetition. */
  readonly part: 0.5 | 0.99;
  readonly goal: Goal | null;
}

export type Goal =
  | { readonly atMost: number }
  | { readonly atLeast: number }
  | { readonly all: number };

const half = { part: 0.5 } as const;
const ms = { unit: "ms", ...half } as const;
const perSecond = { unit: "/s", ...half } as const;
const memory = { unit: "KiB", ...half } as const;

export const MEASURES = {
  start: { name: "cold start → healthy", ...ms, goal: { atMost: 4 } },
  idleMemory: { name: "RSS idle", unit: "MiB", ...half, goal: { atMost: 1.8 } },
  create: { name: "create session, p50", ...ms, goal: { atMost: 3 } },
  createRate: { name: "create, 32 concurrent", ...perSecond, goal: { atLeast: 1 / 3 } },
  list10k: { name: "list, default page, 10,000 stored, p50", ...ms, goal: { atMost: 2 } },
  listAgain: { name: "list again, nothing changed, p50", ...ms, goal: null },
  list100k: { name: "list, default page, 100,000 stored, p50", ...ms, goal: { atMost: 2 } },
  get: { name: "GET one session, p50", ...ms, goal: { atMost: 3 } },
  last50: { name: "last 50 of 10,000 messages, p50", ...ms, goal: null },
  toAgent: { name: "POST message → agent reads it, p50", ...ms, goal: { atMost: 4 } },
  firstToken: { name: "first token → client, p50", ...ms, goal: { atMost: 3 } },
  firstAnswer: { name: "first message of a session → first token, p50", ...ms, goal: null },
  update50: { name: "update latency at 100/s, p50", ...ms, goal: { atMost: 2 } },
  update99: {
    name: "update latency at 100/s, p99",
    unit: "ms",
    part: 0.99,
    goal: { atMost: 3 },
  },
  throughput: { name: "update throughput, 1 client", ...perSecond, goal: { atLeast: 0.5 } },
  cpu: { name: "CPU per update", unit: "µs", ...half, goal: { atMost: 3 } },
  fanOut: {
    name: "fan-out to 1,000 clients, deliveries",
    ...perSecond,
    goal: { atLeast: 0.5 },
  },
  kept: {
    name: "kill -9 during an answer: of 150 shown updates, kept",
    unit: "of 150",
    ...half,
    goal: { all: 150 },
  },
  recovery: { name: "kill → next message answered", ...ms, goal: { atMost: 4 } },
  clientMemory: { name: "memory per reading client", ...memory, goal: null },
  agentMemory: { name: "memory per live agent, without its process", ...memory, goal: null },
  sessionMemory: {
    name: "memory per stored idle session",
    unit: "B",
    ...half,
    goal: null,
  },
} as const satisfies Readonly<Record<string, Measure>>;

export type MeasureId = keyof typeof MEASURES;

export const MEASURE_IDS: readonly MeasureId[] = Object.keys(MEASURES).filter(
  (key): key is MeasureId => key in MEASURES,
);
