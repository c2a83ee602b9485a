import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import type { Session } from "@holdfast/protocol";
import { lastSeen, subscribeSeen } from "../api/last-seen.ts";
import { type SessionsFilter, sessionsQuery } from "../api/queries.ts";
import { statusWord } from "../api/status-word.ts";
import { useStore } from "../api/store.ts";
import { archiver } from "./archive-sessions.ts";
import { entriesOf, newest, startOfDay } from "./rows/groups.ts";
import { FAILED, type ListSearch, toFilter } from "./list-search.ts";

/** Of the sessions that run or wait, at most this many are read before somebody scrolls to them. */
const READ_AHEAD = 200;

/** The sessions of the list in groups, with exact counts. */
export function useSessionList(search: ListSearch) {
  const filter = toFilter(search);
  const all = usePages(filter);
  // A session can run or wait for days, so these may be far down in the order of turns.
  const suspended = usePages({ ...filter, state: ["suspended"] });
  const running = usePages({ ...filter, state: ["running"] });
  const failed = usePages({ ...filter, state: ["idle"], outcome: [...FAILED] });
  const isFailedOnly = search.outcome !== undefined;
  useReadAhead(suspended);
  useReadAhead(running);
  const hidden = useStore(archiver.hidden);
  const seenAt = useSyncExternalStore(subscribeSeen, seenVersion);
  const today = useSyncExternalStore(everyMinute, startOfToday);
  const lists = useMemo(
    () =>
      // Failed sessions may be old: only their own list shows them before somebody scrolls to them.
      [all, suspended, running, ...(isFailedOnly ? [failed] : [])].filter(
        ({ isBefore }) => isBefore === all.isBefore,
      ),
    [all, suspended, running, failed, isFailedOnly],
  );
  const sessions = useMemo(() => newest(lists.flatMap(({ data }) => sessionsOf(data))), [lists]);
  const isGone = useMemo(
    () =>
      ({ id, status }: Session) =>
        hidden.has(id) && status !== "archived",
    [hidden],
  );
  const entries = useMemo(() => {
    void seenAt;
    return entriesOf(
      sessions.filter((session) => !isGone(session) && isShown(session, search)),
      { lastSeen, today },
    );
  }, [sessions, isGone, search, seenAt, today]);
  const hits = useMemo(() => {
    const found = lists.flatMap(({ data }) =>
      (data?.pages ?? []).flatMap((page) => page.hits ?? []),
    );
    return new Map(found.map((hit) => [hit.sessionId, hit]));
  }, [lists]);

  const gone = sessions.filter(isGone);
  const waiting = sessions.filter((session) => statusWord(session) === "Waiting").length;
  const shown = isFailedOnly ? failed : { suspended, running, idle: all }[search.state ?? "idle"];
  return {
    entries,
    hits,
    counts: {
      needsYou: total(suspended, gone, ({ state }) => state === "suspended") - waiting,
      running: total(running, gone, ({ state }) => state === "running") + waiting,
      failed: total(failed, gone, hasFailed),
      all: total(all, gone, () => true),
      archived: all.data?.pages[0]?.counts.archived ?? 0,
    },
    isLoading: all.isPending,
    error: all.error,
    hasMore: shown.hasNextPage,
    loadMore: () => {
      if (shown.hasNextPage && !shown.isFetchingNextPage) void shown.fetchNextPage();
    },
    retry: () => void all.refetch(),
  };
}

export type SessionListData = ReturnType<typeof useSessionList>;

function usePages(filter: SessionsFilter) {
  const query = useInfiniteQuery({ ...sessionsQuery(filter), placeholderData: keepPreviousData });
  const { data, isPending, isPlaceholderData: isBefore, error, refetch } = query;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  return useMemo(
    () => ({
      data,
      isPending,
      /** The data is that of the filter before. */
      isBefore,
      error,
      hasNextPage,
      isFetchingNextPage,
      fetchNextPage,
      refetch,
    }),
    [data, isPending, isBefore, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch],
  );
}

type Pages = ReturnType<typeof usePages>;

function sessionsOf(data: Pages["data"]): readonly Session[] {
  return data?.pages.flatMap((page) => page.sessions) ?? [];
}

function useReadAhead({ data, hasNextPage, isFetchingNextPage, fetchNextPage }: Pages): void {
  const count = sessionsOf(data).length;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && count < READ_AHEAD) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, count]);
}

/** The count of the server, without the sessions that are about to be archived. */
function total(
  { data }: Pages,
  gone: readonly Session[],
  isCounted: (session: Session) => boolean,
): number {
  return Math.max(0, (data?.pages[0]?.total ?? 0) - gone.filter(isCounted).length);
}

function hasFailed({ state, lastTurn }: Session): boolean {
  return state === "idle" && FAILED.some((outcome) => outcome === lastTurn.outcome);
}

/** Whether it still belongs to the list: it may have changed since the list was read. */
function isShown(session: Session, search: ListSearch): boolean {
  const { state, outcome } = search;
  if (outcome !== undefined && !hasFailed(session)) return false;
  if (toFilter(search).status?.includes(session.status) === false) return false;
  if (state === undefined) return true;
  const word = statusWord(session);
  switch (state) {
    case "suspended":
      return word === "Needs you";
    case "running":
      return word === "Running" || word === "Waiting";
    case "idle":
      return session.state === "idle";
    default:
      return state satisfies never;
  }
}

function everyMinute(changed: () => void): () => void {
  const timer = setInterval(changed, 60_000);
  return () => clearInterval(timer);
}

function startOfToday(): string {
  return startOfDay(Date.now());
}

let version = 0;
subscribeSeen(() => (version += 1));
function seenVersion(): number {
  return version;
}
