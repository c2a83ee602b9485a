import type { StreamEvent } from "@holdfast/client";
import type { Session, SessionList, SuspensionsReply } from "@holdfast/protocol";
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import { atMostEvery } from "./at-most-every.ts";
import { SESSION_COUNTS, SESSIONS, SUSPENSIONS } from "./query-keys.ts";

type Pages = InfiniteData<SessionList, string | null>;

export interface LiveLists {
  take(event: StreamEvent): void;
  stop(): void;
}

const ALL = [SESSIONS, SESSION_COUNTS, SUSPENSIONS] as const;
const TOGETHER_MS = 120;
const REFETCH_MS = 1_000;

/**
 * Applies the events of all sessions to the lists. Known rows change in place; lists that may have gained or
 * lost rows are fetched again. Both are throttled.
 */
export function createLiveLists(queries: QueryClient): LiveLists {
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
    let isAboutLists = false;
    let hasList = false;
    queries.setQueriesData<Pages>({ queryKey: [SESSIONS] }, (pages) => {
      if (pages === undefined) return pages;
      hasList = true;
      isAboutLists ||= changesMembers(pages, sessions);
      return withSessions(pages, sessions);
    });
    if (isAboutLists) stale.add(SESSIONS);
    if (isAboutLists || !hasList) stale.add(SESSION_COUNTS);
    const inbox = queries.getQueryData<SuspensionsReply>([SUSPENSIONS]);
    // A run that ends may leave an unused answer in the inbox, which no session event mentions.
    if (isAboutLists || !hasList || changesInbox(inbox, sessions)) stale.add(SUSPENSIONS);
    if (stale.size > 0) refetching.ask();
  });

  return {
    take: (event) => {
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
    stop: () => {
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

/** Whether a list may have gained or lost a row, or its counts may have changed. */
export function changesMembers(pages: Pages, sessions: ReadonlyMap<string, Session>): boolean {
  const shown = new Map(
    pages.pages.flatMap((page) => page.sessions).map((session) => [session.id, session]),
  );
  return [...sessions.values()].some((told) => {
    const before = shown.get(told.id);
    return (
      before === undefined ||
      before.status !== told.status ||
      before.state !== told.state ||
      before.provider !== told.provider ||
      before.phase !== told.phase
    );
  });
}

export function changesInbox(
  inbox: SuspensionsReply | undefined,
  sessions: ReadonlyMap<string, Session>,
): boolean {
  const told = [...sessions.values()];
  if (inbox === undefined) return told.some(({ suspensions }) => suspensions.length > 0);
  return told.some(({ id, suspensions }) => {
    const listed = inbox.suspensions.filter(({ sessionId }) => sessionId === id);
    return (
      listed.length !== suspensions.length ||
      suspensions.some((open) => !listed.some((known) => known.id === open.id))
    );
  });
}
