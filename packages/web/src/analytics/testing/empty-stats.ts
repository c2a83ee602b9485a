import type { Stats } from "@holdfast/protocol";

export const emptyStats: Stats = {
  sessions: 0,
  resumeRate: null,
  successRate: null,
  total: {
    name: null,
    sessions: 0,
    runs: 0,
    completed: 0,
    failed: 0,
    cancelled: 0,
    interrupted: 0,
    successRate: null,
    errors: 0,
    durationMs: null,
    inputTokens: 0,
    outputTokens: 0,
    cost: {},
  },
  byAgent: [],
  byProvider: [],
  byPhase: [],
  overTime: { bucketMs: 86_400_000, buckets: [] },
};
