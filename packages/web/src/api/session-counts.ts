import type { SessionCounts } from "@holdfast/protocol";
import { useQuery } from "@tanstack/react-query";
import { sessionCountsQuery } from "./queries.ts";

/** How many sessions there are of each status; null until it is known. */
export function useSessionCounts(): SessionCounts | null {
  return useQuery(sessionCountsQuery).data ?? null;
}
