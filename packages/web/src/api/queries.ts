import type { CallOptions } from "@holdfast/client";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { ListSessionsQuery, Session } from "@holdfast/protocol";
import { client } from "./client.ts";
import { isUsable } from "../sharing/token-state.ts";
import { SESSIONS, SUSPENSIONS } from "./query-keys.ts";

/** The server's filters for a list of sessions. */
export type SessionsFilter = Partial<
  Pick<
    ListSessionsQuery,
    "repoId" | "status" | "state" | "outcome" | "phase" | "agent" | "provider" | "q" | "order"
  >
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

/** A query without parameters. */
function queryOf<Data>(key: string, read: (options: CallOptions) => Promise<Data>) {
  return queryOptions({
    queryKey: [key] as const,
    queryFn: ({ signal }) => read({ signal }),
  });
}

/** The inbox: everything that waits in any session. */
export const suspensionsQuery = queryOf(SUSPENSIONS, (options) => client.suspensions(options));
export const repositoriesQuery = queryOf("repositories", (options) => client.repos.list(options));
/** Repositories in the workspace root that are not added yet. */
export const foundQuery = queryOf("found repositories", (options) => client.repos.find(options));
export const nodesQuery = queryOf("nodes", (options) => client.nodes.list(options));
/** The tokens that the server accepts. */
export const tokensQuery = queryOf("tokens", async (options) =>
  (await client.tokens.list(options)).tokens.filter((token) => isUsable(token, Date.now())),
);
export const removedQuery = queryOf("removed", (options) => client.removed.list({}, options));
export const readinessQuery = queryOf("readiness", (options) => client.readiness(options));

/** What the agent of the session's next message offers. It is read again when the session, and so perhaps the offer, changes. */
export function optionsQuery({ id, next, mode, options, state }: Session) {
  return queryOptions({
    queryKey: ["options", id, next, mode, options, state] as const,
    queryFn: ({ signal }) => client.sessions.options(id, { signal }),
    placeholderData: (before) => before,
  });
}

/** Installed agents change rarely. */
export const providersQuery = queryOptions({
  ...queryOf("providers", (options) => client.providers(options)),
  staleTime: 60_000,
});
