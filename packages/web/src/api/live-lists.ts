import type { StreamEvent } from "@holdfast/client";
import type { Session, SessionList, SuspensionsReply, WholeSession } from "@holdfast/protocol";
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import { SESSION, SESSIONS, SUSPENSIONS } from "./query-keys.ts";

type Pages = InfiniteData<SessionList, string | null>;

const ALL = [SESSIONS, SESSION, SUSPENSIONS] as const;
const TOGETHER_MS = 120;
const REFETCH_MS = 1_000;

/**
 * Applies the events of all sessions to the lists. Known rows change in place; lists that may have gained or
 * lost rows are fetched again. Both are throttled.
 */
export function createLiveLists(queries: QueryClient) {
  const changed = new Map<string, Session>();
  const stale = new Set<string>();

  const refetching = atMostEvery(REFETCH_MS, () => {
    const keys = [...stale];
    stale.clear();
    for (const name of keys) void queries.invalidateQueries({ queryKey: [name] });
  });

  const flushing = atMostEvery(TOGETHER_MS, () => {
    const sessions = new Map(changed);
    changed.clear();
    const lists = queries.getQueriesData<Pages>({ queryKey: [SESSIONS] });
    const pages = lists.flatMap(([, list]) => list?.pages ?? []);
    const hasList = pages.length > 0;
    const isAboutLists = hasList && changesMembers(pages, sessions);
    queries.setQueriesData<Pages>({ queryKey: [SESSIONS] }, (list) =>
      list === undefined ? list : withSessions(list, sessions),
    );
    for (const session of sessions.values())
      queries.setQueryData<WholeSession>([SESSION, session.id], (whole) =>
        whole === undefined || session.version < whole.version ? whole : { ...whole, ...session },
      );
    if (isAboutLists) stale.add(SESSIONS);
    const inbox = queries.getQueryData<SuspensionsReply>([SUSPENSIONS]);
    // A run that ends may leave an unused answer in the inbox, which no session event mentions.
    if (isAboutLists || !hasList || changesInbox(inbox, sessions)) stale.add(SUSPENSIONS);
    if (stale.size > 0) refetching.ask();
  });

  return {
    take: (event: StreamEvent): void => {
      switch (event.type) {
        case "session":
          changed.set(event.data.id, event.data);
          flushing.ask();
          return;
        case "deleted":
          for (const key of ALL) stale.add(key);
          refetching.ask();
          return;
        case "reset":
          for (const key of ALL) void queries.invalidateQueries({ queryKey: [key] });
          return;
        default:
          return;
      }
    },
    stop: (): void => {
      flushing.stop();
      refetching.stop();
    },
  };
}

/** The same pages with the newer sessions in place. */
export function withSessions(pages: Pages, sessions: ReadonlyMap<string, Session>): Pages {
  const isTouched = (page: SessionList): boolean =>
    page.sessions.some(({ id }) => sessions.has(id));
  if (!pages.pages.some(isTouched)) return pages;
  return {
    ...pages,
    pages: pages.pages.map((page) =>
      isTouched(page)
        ? { ...page, sessions: page.sessions.map((shown) => newer(shown, sessions.get(shown.id))) }
        : page,
    ),
  };
}

/** A reply to a request may be newer than an event in flight. */
function newer(shown: Session, changed: Session | undefined): Session {
  return changed === undefined || changed.version < shown.version ? shown : changed;
}

/** The fields by which lists are filtered and counted. */
const COUNTED = ["status", "state", "provider", "phase"] as const;

/** Whether one of the lists may have gained or lost a row, or its counts may have changed. */
export function changesMembers(
  pages: readonly SessionList[],
  sessions: ReadonlyMap<string, Session>,
): boolean {
  const unknown = new Set(sessions.keys());
  for (const before of pages.flatMap((page) => page.sessions)) {
    const session = sessions.get(before.id);
    if (session === undefined) continue;
    unknown.delete(before.id);
    if (COUNTED.some((field) => before[field] !== session[field])) return true;
    if (before.lastTurn.outcome !== session.lastTurn.outcome) return true;
  }
  return unknown.size > 0;
}

export function changesInbox(
  inbox: SuspensionsReply | undefined,
  sessions: ReadonlyMap<string, Session>,
): boolean {
  return [...sessions.values()].some(({ id, suspensions }) => {
    const listed = inbox?.suspensions.filter(({ sessionId }) => sessionId === id) ?? [];
    const ids = new Set(listed.map((suspension) => suspension.id));
    return ids.size !== suspensions.length || suspensions.some((open) => !ids.has(open.id));
  });
}

/** Throttles an action: the first request acts at once, further ones at most once per interval. */
export function atMostEvery(everyMs: number, act: () => void) {
  let waiting: ReturnType<typeof setTimeout> | null = null;
  let isWanted = false;
  const run = (): void => {
    isWanted = false;
    waiting = setTimeout(() => {
      waiting = null;
      if (isWanted) run();
    }, everyMs);
    act();
  };
  return {
    /** Acts now, or once at the end of the current interval. */
    ask: (): void => {
      if (waiting === null) run();
      else isWanted = true;
    },
    stop: (): void => {
      if (waiting !== null) clearTimeout(waiting);
      isWanted = false;
    },
  };
}
