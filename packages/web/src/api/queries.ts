import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { ListSessionsQuery } from "@holdfast/protocol";
import { client } from "./client.ts";
import { SESSION_COUNTS, SESSIONS, SUSPENSIONS } from "./query-keys.ts";

export { SUSPENSIONS };

/** The server's filters for a list of sessions. */
export type SessionsFilter = Partial<
  Pick<ListSessionsQuery, "repoId" | "status" | "state" | "phase" | "agent" | "provider" | "q">
>;

const PAGE_SIZE = 50;

export function sessionsQuery(filter: SessionsFilter) {
  return infiniteQueryOptions({
    queryKey: [SESSIONS, filter] as const,
    queryFn: ({ pageParam, signal }) =>
      client.sessions.list(
        { ...filter, limit: PAGE_SIZE, ...(pageParam !== null && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: startOf(),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

function startOf(): string | null {
  return null;
}

/** The inbox: everything that waits in any session. */
export const suspensionsQuery = queryOptions({
  queryKey: [SUSPENSIONS] as const,
  queryFn: ({ signal }) => client.suspensions({ signal }),
});

export const repositoriesQuery = queryOptions({
  queryKey: ["repositories"] as const,
  queryFn: ({ signal }) => client.repos.list({ signal }),
});

/** Installed agents change rarely. */
export const providersQuery = queryOptions({
  queryKey: ["providers"] as const,
  queryFn: ({ signal }) => client.providers({ signal }),
  staleTime: 60_000,
});

export const removedQuery = queryOptions({
  queryKey: ["removed"] as const,
  queryFn: ({ signal }) => client.removed.list({}, { signal }),
});

export const readinessQuery = queryOptions({
  queryKey: ["readiness"] as const,
  queryFn: ({ signal }) => client.readiness({ signal }),
});

export const sessionCountsQuery = queryOptions({
  queryKey: [SESSION_COUNTS] as const,
  queryFn: async ({ signal }) => (await client.sessions.list({ limit: 1 }, { signal })).counts,
});
