import type { Session } from "@holdfast/protocol";
import { useQueries } from "@tanstack/react-query";
import { wholeSessionQuery } from "./compare-queries.ts";

/** The sessions that are loaded. */
export function useSessions(ids: readonly string[]): readonly Session[] {
  return useQueries({ queries: ids.map(wholeSessionQuery) }).flatMap(({ data, error }) =>
    data === undefined || error !== null ? [] : [data],
  );
}
