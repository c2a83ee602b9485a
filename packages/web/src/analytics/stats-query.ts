import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { toStatsQuery, type Range } from "./range.ts";

/** The figures before stay until those of another range are there. */
export function statsQuery(range: Range) {
  return queryOptions({
    queryKey: ["stats", range] as const,
    queryFn: ({ signal }) => client.stats(toStatsQuery(range, Date.now()), { signal }),
    placeholderData: keepPreviousData,
  });
}
