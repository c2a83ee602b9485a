import type { Session, SessionList } from "@holdfast/protocol";
import { QueryClient, type InfiniteData } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  atMostEvery,
  changesInbox,
  changesMembers,
  createLiveLists,
  withSessions,
} from "./live-lists.ts";
import { SESSION, SESSIONS } from "./query-keys.ts";
import { exampleSession } from "./testing/example-session.ts";

const counts = { active: 0, suspended: 0, archived: 0, error: 0, badge: 0 };

function pagesOf(
  ...pages: readonly (readonly Session[])[]
): InfiniteData<SessionList, string | null> {
  return {
    pages: pages.map((sessions) => ({
      sessions: [...sessions],
      total: 3,
      limit: 2,
      offset: 0,
      nextCursor: null,
      counts,
    })),
    pageParams: pages.map(() => null),
  };
}

const byId = (...sessions: readonly Session[]): ReadonlyMap<string, Session> =>
  new Map(sessions.map((session) => [session.id, session]));

const one = exampleSession({ id: "one" });
const two = exampleSession({ id: "two" });
const three = exampleSession({ id: "three" });

describe("a list that receives events", () => {
  it("replaces the changed session in place and keeps the others", () => {
    const before = pagesOf([one, two], [three]);
    const renamed = { ...two, title: "Another", version: 2 };
    const after = withSessions(before, byId(renamed));
    expect(after).toEqual(pagesOf([one, renamed], [three]));
    expect(after.pages[1]).toBe(before.pages[1]);
  });

  it("stays the same object when none of its sessions changed", () => {
    const before = pagesOf([one]);
    expect(withSessions(before, byId(two))).toBe(before);
  });

  it("keeps a session that is newer than the event", () => {
    const newer = { ...one, title: "Newer", version: 5 };
    const before = pagesOf([newer]);
    expect(withSessions(before, byId({ ...one, version: 4 }))).toEqual(before);
  });

  it.each([
    ["a session is not in it", byId(two), true],
    ["a status changed", byId({ ...one, status: "archived" }), true],
    ["a state changed", byId({ ...one, state: "running" }), true],
    ["a phase changed", byId({ ...one, phase: "planning" }), true],
    [
      "a run ended otherwise",
      byId({ ...one, lastTurn: { ...one.lastTurn, outcome: "failed" } }),
      true,
    ],
    ["only the title changed", byId({ ...one, title: "Another" }), false],
  ] as const)("is read again or not, when %s", (_, sessions, expected) => {
    expect(changesMembers(pagesOf([], [one]).pages, sessions)).toBe(expected);
  });
});

describe("the inbox", () => {
  const open = {
    id: "w1",
    kind: "permission",
    request: {},
    createdAt: "2026-01-01T00:00:00.000Z",
    expiresAt: null,
  } as const;
  const empty = { suspensions: [], unusedAnswers: [] };
  const listed = {
    unusedAnswers: [],
    suspensions: [
      {
        ...open,
        sessionId: "one",
        runId: "u1",
        status: "open",
        answer: null,
        answeredBy: null,
        closedAt: null,
      } as const,
    ],
  };
  const waits = { ...one, suspensions: [open] };

  it.each([
    ["something new waits", empty, waits, true],
    ["nothing waits any more", listed, one, true],
    ["something else waits", listed, { ...one, suspensions: [{ ...open, id: "w2" }] }, true],
    ["the same waits", listed, waits, false],
    ["nothing waits, as before", empty, one, false],
    ["something waits before it was read", undefined, waits, true],
  ])("is read again or not, when %s", (_, inbox, session, expected) => {
    expect(changesInbox(inbox, byId(session))).toBe(expected);
  });
});

describe("live lists", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const event = (data: Session) => ({ type: "session", id: "1", data }) as const;
  const key = [SESSIONS, {}];

  it("show a change at once and refetch at most once a second", () => {
    const queries = new QueryClient();
    const lists = createLiveLists(queries);
    const isStale = (): boolean | undefined => queries.getQueryState(key)?.isInvalidated;
    queries.setQueryData(key, pagesOf([one]));

    lists.take(event({ ...one, title: "Another", version: 2 }));
    expect(queries.getQueryData(key)).toEqual(pagesOf([{ ...one, title: "Another", version: 2 }]));
    expect(isStale()).toBe(false);

    vi.advanceTimersByTime(200);
    lists.take(event(two));
    expect(isStale()).toBe(true);
    queries.setQueryData(key, pagesOf([one, two]));

    vi.advanceTimersByTime(200);
    lists.take(event(three));
    expect(isStale()).toBe(false);
    vi.advanceTimersByTime(799);
    expect(isStale()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(isStale()).toBe(true);
    lists.stop();
    queries.clear();
  });

  it("update a session that is shown with its messages, unless it is newer", () => {
    const queries = new QueryClient();
    const lists = createLiveLists(queries);
    const shown = { ...one, version: 2, messages: ["said"] };
    queries.setQueryData([SESSION, "one"], shown);
    lists.take(event({ ...one, title: "Older", version: 1 }));
    vi.advanceTimersByTime(200);
    expect(queries.getQueryData([SESSION, "one"])).toEqual(shown);
    lists.take(event({ ...one, title: "Newer", version: 3 }));
    expect(queries.getQueryData([SESSION, "one"])).toEqual({
      ...shown,
      title: "Newer",
      version: 3,
    });
    lists.stop();
    queries.clear();
  });
});

describe("a throttled action", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("acts at once, then once for all requests of the interval, and at once after a pause", () => {
    const start = Date.now();
    const times: number[] = [];
    const paced = atMostEvery(1_000, () => times.push(Date.now() - start));
    paced.ask();
    vi.advanceTimersByTime(200);
    paced.ask();
    paced.ask();
    vi.advanceTimersByTime(900);
    paced.ask();
    vi.advanceTimersByTime(5_000);
    paced.ask();
    expect(times).toEqual([0, 1_000, 2_000, 6_100]);
  });

  it("does not act after it was stopped", () => {
    let count = 0;
    const paced = atMostEvery(1_000, () => (count += 1));
    paced.ask();
    paced.ask();
    paced.stop();
    vi.advanceTimersByTime(5_000);
    expect(count).toBe(1);
  });
});
