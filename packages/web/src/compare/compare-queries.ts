import { comparisonOf, STATUSES } from "@holdfast/protocol";
import { queryOptions } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { SESSION } from "../api/query-keys.ts";

/** A session with its messages. Events keep the session up to date, but not its messages. */
export function wholeSessionQuery(id: string) {
  return queryOptions({
    queryKey: [SESSION, id] as const,
    queryFn: ({ signal }) => client.sessions.get(id, { signal }),
    // It may have changed while nothing showed it.
    staleTime: 0,
  });
}

/** The sessions of a comparison are created one after the other. */
const TOGETHER_MS = 10 * 60_000;

/** The sessions of the comparison to which a session belongs, oldest first; only itself if it belongs to none. */
export function comparedIdsQuery(sessionId: string) {
  return queryOptions({
    queryKey: ["compared", sessionId] as const,
    queryFn: async ({ signal }): Promise<readonly string[]> => {
      const session = await client.sessions.get(sessionId, { signal });
      const comparison = comparisonOf(session);
      if (comparison === null || session.repoId === null) return [session.id];
      const to = new Date(Date.parse(session.createdAt) + TOGETHER_MS).toISOString();
      const filter = { repoId: session.repoId, to, status: [...STATUSES], limit: 100 };
      const { sessions } = await client.sessions.list(filter, { signal });
      return sessions
        .filter((each) => comparisonOf(each) === comparison)
        .map(({ id }) => id)
        .toReversed();
    },
  });
}
