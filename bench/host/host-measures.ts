/** Where agents live: they are children of the server, or of the agent host. */
export type HostPlace = "inside" | "outside";

/** A row of the table. A goal compares agents outside with agents inside, in the same run. */
export interface HostMeasure {
  readonly name: string;
  readonly unit: "ms" | "MiB" | "/s" | "µs";
  readonly goal: HostGoal | null;
}

export type HostGoal =
  /** Times as much. */
  | { readonly atMost: number }
  | { readonly atLeast: number }
  /** So much more, in the unit of the measure. */
  | { readonly more: number };

export const HOST_MEASURES = {
  toAgent: { name: "POST message → agent reads it, p50", unit: "ms", goal: { atMost: 1.1 } },
  firstToken: {
    name: "POST message → first token at the client, p50",
    unit: "ms",
    goal: { atMost: 1.1 },
  },
  toClient: { name: "of this: agent reads it → first token, p50", unit: "ms", goal: null },
  update: { name: "update latency at 100/s, p50", unit: "ms", goal: null },
  start: { name: "first message of a session → first token, p50", unit: "ms", goal: null },
  throughput: { name: "update throughput, 1 client", unit: "/s", goal: { atLeast: 0.9 } },
  cpu: { name: "CPU per update, server and host", unit: "µs", goal: null },
  idleShared: { name: "idle memory, server and host, PSS", unit: "MiB", goal: { more: 55 } },
  idleResident: {
    name: "the same, RSS: shared pages count twice",
    unit: "MiB",
    goal: { more: 55 },
  },
  memoryAfter: { name: "PSS after the throughput", unit: "MiB", goal: null },
} as const satisfies Readonly<Record<string, HostMeasure>>;

export type HostMeasureId = keyof typeof HOST_MEASURES;

export const HOST_MEASURE_IDS: readonly HostMeasureId[] = Object.keys(HOST_MEASURES).filter(
  (key): key is HostMeasureId => key in HOST_MEASURES,
);
