import type { Sessions } from "@holdfast/client";
import { LIMITS, type Run, type RunsReply } from "@holdfast/protocol";

/** Pages of the list of runs that are read at most. */
const PAGES = 5;

/** The oldest runs of the session, from the list. Complete when there are no more. */
export async function readFirstRuns(
  sessions: Pick<Sessions, "runs">,
  { id, signal }: { readonly id: string; readonly signal: AbortSignal },
): Promise<{ readonly runs: readonly Run[]; readonly complete: boolean }> {
  const runs: Run[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < PAGES; pages += 1) {
    const query = { limit: LIMITS.pageSize, ...(cursor !== null && { cursor }) };
    const page: RunsReply = await sessions.runs(id, query, { signal });
    runs.push(...page.runs);
    cursor = page.nextCursor;
    if (cursor === null) return { runs, complete: true };
  }
  return { runs, complete: false };
}
