import type { ChangesQuery } from "@holdfast/protocol";
import { queryOptions } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { toQuery, type Scope } from "./scope.ts";

/** The key of everything read about the changes of a session. */
export function changesKey(sessionId: string) {
  return ["changes", sessionId] as const;
}

export function changesQuery(sessionId: string, scope: Scope) {
  const query = toQuery(scope);
  return queryOptions({
    queryKey: [...changesKey(sessionId), query] as const,
    queryFn: ({ signal }) => client.sessions.changes(sessionId, query, { signal }),
    retry: false,
  });
}

export function fileDiffQuery(sessionId: string, scope: Scope, path: string) {
  const query: ChangesQuery = toQuery(scope);
  return queryOptions({
    queryKey: [...changesKey(sessionId), query, path] as const,
    queryFn: ({ signal }) => client.sessions.fileDiff(sessionId, { ...query, path }, { signal }),
    retry: false,
  });
}
