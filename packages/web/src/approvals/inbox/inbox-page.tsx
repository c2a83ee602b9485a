import type { Suspension } from "@holdfast/protocol";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Inbox } from "lucide-react";
import { type ReactElement, useRef } from "react";
import { repositoriesQuery, sessionsQuery, suspensionsQuery } from "../../api/queries.ts";
import { sessionName } from "../../api/session-name.ts";
import { ConnectionBadge } from "../../app/connection-badge.tsx";
import { Link } from "../../app/link.tsx";
import { usePageTitle } from "../../app/page-title.ts";
import { useShortcuts } from "../../app/use-shortcuts.ts";
import { Empty, NotLoaded } from "../../ui/empty.tsx";
import { ApprovalCard, type CardKeys } from "../approval-card.tsx";
import type { Folders } from "../outside.ts";
import { type InboxGroup, inboxGroups } from "./groups.ts";
import { UnusedCard } from "./unused-card.tsx";
import { useChanges } from "./use-changes.ts";

const DIGITS = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

/** The open requests of all sessions, each answered in its place. */
export function InboxPage(): ReactElement {
  usePageTitle("Inbox");
  const { data, error, refetch } = useQuery(suspensionsQuery);
  const sessions = useWaitingSessions();
  const list = useRef<HTMLDivElement>(null);
  const keys = useRef<CardKeys>(new Map()).current;
  const suspensions = data?.suspensions ?? [];
  const { forPeople, others } = inboxGroups(suspensions, data?.unusedAnswers ?? []);
  const count = forPeople.reduce((sum, group) => sum + sizeOf(group), 0);
  const place = suspensions.map(({ id }) => id).join(" ");

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

  const toGroup = (group: InboxGroup): ReactElement => {
    const session = sessions.get(group.sessionId);
    const { name = `Session ${group.sessionId.slice(0, 8)}`, repository = null } = session ?? {};
    return (
      <section
        key={group.sessionId}
        aria-label={name}
        className="flex flex-col gap-2 not-first:mt-3"
      >
        <h2 className="flex min-w-0 items-baseline gap-2">
          <Link
            to={{ page: "session", id: group.sessionId }}
            className="inline-flex min-h-6 items-center pointer-coarse:min-h-11 font-semibold wrap-anywhere underline-offset-2 hover:underline"
          >
            {name}
          </Link>
          {repository !== null && <span className="shrink-0 text-xs text-muted">{repository}</span>}
        </h2>
        {group.requests.map((suspension) => (
          <InboxCard
            key={suspension.id}
            suspension={suspension}
            folders={session?.folders ?? UNKNOWN}
            place={place}
            keys={keys}
            onAnswered={() => leave(list.current, suspension.id)}
          />
        ))}
        {group.unused.map((unused) => (
          <UnusedCard key={unused.suspensionId} unused={unused} />
        ))}
      </section>
    );
  };

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

function InboxCard({
  suspension,
  place,
  ...card
}: {
  readonly suspension: Suspension;
  readonly folders: Folders;
  readonly place: string;
  readonly keys: CardKeys;
  readonly onAnswered: () => void;
}): ReactElement {
  const changes = useChanges(suspension);
  return (
    <ApprovalCard
      {...card}
      sessionId={suspension.sessionId}
      suspension={suspension}
      changes={changes.are === "known" ? changes.changes : NO_CHANGES}
      place={`${place} ${changes.are}`}
      shape="row"
      footer={
        changes.are === "unknown" && (
          <p className="text-xs text-muted">Open the session to see the changes.</p>
        )
      }
    />
  );
}

const UNKNOWN: Folders = { repository: null, worktree: null };
const NO_CHANGES = [] as const;

/** The names of waiting sessions and the folders that they work in. */
function useWaitingSessions() {
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

/** Focuses the card after an answered one, unless the person is elsewhere. */
function leave(list: HTMLElement | null, id: string): void {
  const cards = cardsIn(list);
  const at = cards.findIndex((card) => card.dataset["approval"] === id);
  const { activeElement } = document;
  const isHere = activeElement === document.body || cards[at]?.contains(activeElement) === true;
  if (isHere) focusCard(cards[at + 1] ?? cards[at - 1]);
}

function focusCard(card: HTMLElement | undefined): void {
  card?.focus();
  card?.scrollIntoView({ block: "nearest" });
}
