import type { ChangeCounts, Run } from "@holdfast/protocol";

/** What the transcript shows about runs: which were taken back, and what they changed. */
export interface RunMarks {
  isRewound(runId: string | null): boolean;
  /** Null if it changed no file, or if that is not known. */
  changesOf(runId: string): ChangeCounts | null;
  /** Replaces the runs that were taken back. */
  setRewound(runIds: readonly string[]): void;
  /** True if something shown is different now. */
  take(run: Pick<Run, "id" | "changes" | "rewoundAt">): boolean;
}

export function createRunMarks(): RunMarks {
  let rewound: ReadonlySet<string> = new Set();
  const changes = new Map<string, ChangeCounts>();
  return {
    isRewound: (runId) => runId !== null && rewound.has(runId),
    changesOf: (runId) => changes.get(runId) ?? null,
    setRewound(runIds) {
      rewound = new Set(runIds);
    },
    take({ id, changes: counts, rewoundAt }) {
      const wasRewound = rewound.has(id);
      const isRewound = rewoundAt !== null;
      if (isRewound) rewound = new Set([...rewound, id]);
      else if (wasRewound) rewound = new Set([...rewound].filter((other) => other !== id));
      const before = changes.get(id);
      const now = counts === null || counts.files === 0 ? undefined : counts;
      if (now === undefined) changes.delete(id);
      else changes.set(id, now);
      return wasRewound !== isRewound || !isSame(before, now);
    },
  };
}

function isSame(one: ChangeCounts | undefined, other: ChangeCounts | undefined): boolean {
  return (
    one?.files === other?.files && one?.added === other?.added && one?.deleted === other?.deleted
  );
}
