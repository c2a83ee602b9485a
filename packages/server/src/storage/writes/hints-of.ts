import type { Hint } from "../ports/node-store.ts";
import type { WriteArgs, WriteName, WriteResult } from "./writes.ts";

/** Hints to other nodes about a committed write. */
export function hintsOf<Name extends WriteName>({
  name,
  args,
  result,
}: {
  readonly name: Name;
  readonly args: WriteArgs<Name>;
  readonly result: WriteResult<Name>;
}): readonly Hint[] {
  return HINTS[name]?.(args, result) ?? [];
}

const HINTS: {
  readonly [Name in WriteName]?: (
    args: WriteArgs<Name>,
    result: WriteResult<Name>,
  ) => readonly Hint[];
} = {
  commitChange: ({ before }, result) => {
    if (!result.ok) return [];
    const sessionId = result.stored?.session.id ?? before?.session.id;
    if (sessionId === undefined) return [];
    return [{ hint: result.stored === null ? "deleted" : "change", sessionId }];
  },
  appendOutput: ({ sessionId }, { ok }) => (ok ? [{ hint: "output", sessionId }] : []),
  claimSession: ({ sessionId }, { ok }) => (ok ? [{ hint: "change", sessionId }] : []),
  deleteSessions: (sessionIds) => sessionIds.map((sessionId) => ({ hint: "deleted", sessionId })),
  deleteStale: (_, sessionIds) => sessionIds.map((sessionId) => ({ hint: "deleted", sessionId })),
  finishImport: ({ staging }, { ok }) =>
    ok ? [{ hint: "change", sessionId: staging.sessionId }] : [],
  drainNode: (_, isFound) => (isFound ? [{ hint: "nodes" }] : []),
  dropLease: () => [{ hint: "nodes" }],
};
