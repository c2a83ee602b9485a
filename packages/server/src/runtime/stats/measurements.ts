import type { State, Status } from "../../domain/status.ts";

/** What `/metrics` shows. */
export interface Measurements {
  readonly sessions: readonly {
    readonly status: Status;
    readonly state: State;
    readonly count: number;
  }[];
  readonly runsEnded: Readonly<
    Record<"completed" | "failed" | "cancelled" | "interrupted", number>
  >;
  readonly queuedMessages: number;
  readonly liveAgents: number;
  /** Those that are starting or at work; the others could be ended without losing anything. */
  readonly busyAgents: number;
  readonly agentLimit: number;
  readonly feedReaders: number;
  readonly feedReadersDropped: number;
  /** From the agent's words to the feeds, and of one commit; cumulative histograms in seconds. */
  readonly eventLag: Histogram;
  readonly commitLatency: Histogram;
}

export interface Histogram {
  /** Upper bounds in seconds with how many were at most that. */
  readonly buckets: readonly { readonly le: number; readonly count: number }[];
  readonly count: number;
  readonly sum: number;
}
