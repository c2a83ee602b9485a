import { queryOptions } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { changesKey } from "../changes/changes-queries.ts";

/** The branch of a session. It is read again with the changes. */
export function branchQuery(sessionId: string) {
  return queryOptions({
    queryKey: [...changesKey(sessionId), "branch"] as const,
    queryFn: ({ signal }) => client.sessions.branch(sessionId, { signal }),
    retry: false,
    // Others commit to the same repository.
    staleTime: 0,
  });
}
