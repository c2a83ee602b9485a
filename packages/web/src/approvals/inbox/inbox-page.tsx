import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Inbox } from "lucide-react";
import { type ReactElement, useRef, useState } from "react";
import { repositoriesQuery, sessionsQuery, suspensionsQuery } from "../../api/queries.ts";
import { sessionName } from "../../api/session-name.ts";
import { ConnectionBadge } from "../../app/connection-badge.tsx";
import { Link } from "../../app/link.tsx";
import { usePageTitle } from "../../app/page-title.ts";
import { useShortcuts } from "../../app/use-shortcuts.ts";
import { Empty, NotLoaded } from "../../ui/empty.tsx";
import type { CardKeys } from "../approval-card.tsx";
import type { Folders } from "../outside.ts";
import { FetchedCard } from "./fetched-card.tsx";
import { type InboxGroup, inboxGroups } from "./groups.ts";
import { UnusedCard } from "./unused-card.tsx";

const DIGITS = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

/** The open requests of all sessions, each answered in its place. */
export function InboxPage(): ReactElement {
  usePageTitle("Inbox");
  const { data, error, refetch } = useQuery(suspensionsQuery);
  const sessions = useWaitingSessions();
  const list = useRef<HTMLDivElement>(null);
  const [keys] = useState<CardKeys>(() => new Map());
  const suspensions = data?.suspensions ?? [];
  const { forPeople, others } = inboxGroups(suspensions, data?.unusedAnswers ?? []);
  const count = forPeople.reduce((sum, group) => sum + sizeOf(group), 0);
  const place = suspensions.map(({ id }) => id).join(" ");

  /** Focuses the card after an answered one, unless the person is elsewhere. */
  const leave = (suspensionId: string): void => {
    const cards = cardsIn(list.current);
    const at = cards.findIndex((card) => card.dataset["approval"] === suspensionId);
    const { activeElement } = document;
    const isHere = activeElement === document.body || cards[at]?.contains(activeElement) === true;
    if (isHere) focusCard(cards[at + 1] ?? cards[at - 1]);
  };

  /** A digit outside of the cards answers the only one; with several, the first gets the focus. */
  const onDigit = (event: KeyboardEvent): void => {
    const [only] = suspensions;
    if (suspensions.length === 1 && only !== undefined) keys.get(only.id)?.(event);
    else if (!event.repeat) moveFocus(list.current, 1);
  };
  useShortcuts({
    j: () => moveFocus(list.current, 1),
    k: () => moveFocus(list.current, -1),
    ...Object.fromEntries(DIGITS.map((digit) => [digit, onDigit])),
  });

  const toGroup = (group: InboxGroup): ReactElement => (
    <Group
      key={group.sessionId}
      group={group}
      session={sessions.get(group.sessionId) ?? null}
      place={place}
      keys={keys}
      onAnswered={leave}
    />
  );
  return (
    <main className="min-h-0 flex-1 overflow-y-auto">
      <div ref={list} className="mx-auto flex max-w-3xl flex-col gap-3 px-3 py-4 sm:px-6">
        <header className="flex items-center gap-3">
          <h1 className="text-lg font-semibold">Inbox</h1>
          {count > 0 && <span className="text-muted">{countText(count)}</span>}
          <span className="ml-auto md:hidden">
            <ConnectionBadge dotOnly />
          </span>
        </header>
        {data === undefined && (
          <NotLoaded name="inbox" error={error} onRetry={() => void refetch()} />
        )}
        {data !== undefined && forPeople.length === 0 && (
          <Empty icon={<Inbox size={28} />} title="Nothing needs you">
            Permission requests and questions from all sessions appear here. Answer them with 1, 2
            and 3 without opening the session.
          </Empty>
        )}
        {forPeople.map(toGroup)}
        {others.length > 0 && (
          <p className="mt-3 text-xs font-semibold text-muted">Waiting for something else</p>
        )}
        {others.map(toGroup)}
      </div>
    </main>
  );
}

/** The requests of one session. */
function Group({
  group: { sessionId, requests, unused },
  session,
  place,
  keys,
  onAnswered,
}: {
  readonly group: InboxGroup;
  readonly session: WaitingSession | null;
  readonly place: string;
  readonly keys: CardKeys;
  readonly onAnswered: (suspensionId: string) => void;
}): ReactElement {
  const { name, repository, folders } = session ?? unknownSession(sessionId);
  return (
    <section aria-label={name} className="flex flex-col gap-2 not-first:mt-3">
      <h2 className="flex min-w-0 items-baseline gap-2">
        <Link
          to={{ page: "session", id: sessionId }}
          className="touch-target inline-flex min-h-6 items-center font-semibold wrap-anywhere underline-offset-2 hover:underline"
        >
          {name}
        </Link>
        {repository !== null && <span className="shrink-0 text-xs text-muted">{repository}</span>}
      </h2>
      {requests.map((suspension) => (
        <FetchedCard
          key={suspension.id}
          {...{ sessionId, suspension, folders, place, keys }}
          shape="row"
          onAnswered={() => onAnswered(suspension.id)}
        />
      ))}
      {unused.map((each) => (
        <UnusedCard key={each.suspensionId} unused={each} />
      ))}
    </section>
  );
}

interface WaitingSession {
  readonly name: string;
  readonly repository: string | null;
  readonly folders: Folders;
}

function unknownSession(id: string): WaitingSession {
  const folders = { repository: null, worktree: null };
  return { name: `Session ${id.slice(0, 8)}`, repository: null, folders };
}

/** The names of waiting sessions and the folders that they work in. */
function useWaitingSessions(): ReadonlyMap<string, WaitingSession> {
  const { data } = useInfiniteQuery(sessionsQuery({ state: ["suspended"] }));
  const { data: known } = useQuery(repositoriesQuery);
  const sessions = data?.pages.flatMap((page) => page.sessions) ?? [];
  const repos = new Map(known?.repos.map((repo) => [repo.id, repo]));
  return new Map(
    sessions.map((session) => {
      const repo = repos.get(session.repoId ?? "");
      const folders = { repository: repo?.path ?? null, worktree: session.worktree?.path ?? null };
      return [
        session.id,
        { name: sessionName(session), repository: repo?.name ?? null, folders },
      ] as const;
    }),
  );
}

function sizeOf({ requests, unused }: InboxGroup): number {
  return requests.length + unused.length;
}

function countText(count: number): string {
  return count === 1 ? "1 needs you" : `${count} need you`;
}

function cardsIn(list: HTMLElement | null): readonly HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>("[data-approval]") ?? [])];
}

/** Focuses the next or previous card, never one of its answers. */
function moveFocus(list: HTMLElement | null, by: 1 | -1): void {
  const cards = cardsIn(list);
  const at = cards.findIndex((card) => card.contains(document.activeElement));
  focusCard(at === -1 ? cards[by === 1 ? 0 : cards.length - 1] : cards[at + by]);
}

function focusCard(card: HTMLElement | undefined): void {
  card?.focus();
  card?.scrollIntoView({ block: "nearest" });
}
