/** How sessions and their runs went in a range of time. */
export interface Stats {
  readonly sessions: number;
  /** Of sessions that were cut off, how many went on; null when none was. */
  readonly resumeRate: number | null;
  /** Of ended runs, how many completed; null when none ended. */
  readonly successRate: number | null;
  readonly byAgent: readonly StatsGroup[];
  readonly byProvider: readonly StatsGroup[];
}

export interface StatsGroup {
  /** The agent's name, or the provider's; null for runs without one. */
  readonly name: string | null;
  readonly sessions: number;
  readonly runs: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly interrupted: number;
  readonly successRate: number | null;
  /** From start to end of its runs. */
  readonly durationMs: {
    readonly median: number;
    readonly mean: number;
    readonly total: number;
  } | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** By currency. */
  readonly cost: Readonly<Record<string, number>>;
}
