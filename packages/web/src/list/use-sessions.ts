import type { SearchHit, Session, SessionCounts } from "@holdfast/protocol";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { sessionsQuery } from "../api/queries.ts";
import { archiver } from "./archive-sessions.ts";
import { useHidden } from "./archiver.ts";
import { toFilter, type ListSearch } from "./list-search.ts";

export interface Sessions {
  readonly sessions: readonly Session[];
  /** The matching messages by session. */
  readonly hits: ReadonlyMap<string, SearchHit>;
  readonly counts: SessionCounts | null;
  readonly isLoading: boolean;
  readonly error: Error | null;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
  readonly retry: () => void;
}

export function useSessions(search: ListSearch): Sessions {
  const query = useInfiniteQuery({
    ...sessionsQuery(toFilter(search)),
    placeholderData: keepPreviousData,
  });
  const hidden = useHidden(archiver);
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  const sessions = useMemo(
    () =>
      (data?.pages ?? [])
        .flatMap((page) => page.sessions)
        .filter(({ id, status }) => !hidden.has(id) || status === "archived"),
    [data, hidden],
  );
  const hits = useMemo(() => {
    const found = (data?.pages ?? []).flatMap((page) => page.hits ?? []);
    return new Map(found.map((hit) => [hit.sessionId, hit]));
  }, [data]);
  return {
    sessions,
    hits,
    counts: data?.pages[0]?.counts ?? null,
    isLoading: query.isPending,
    error: query.error,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    loadMore: () => {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
    },
    retry: () => void refetch(),
  };
}
