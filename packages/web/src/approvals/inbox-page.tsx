import type { InboxUnusedAnswer, Suspension } from "@holdfast/protocol";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Inbox } from "lucide-react";
import { type ReactElement, useId, useRef } from "react";
import { repositoriesQuery, sessionsQuery, suspensionsQuery } from "../api/queries.ts";
import { sessionName } from "../api/session-name.ts";
import { isForPerson } from "../api/for-person.ts";
import { ConnectionBadge } from "../app/connection-badge.tsx";
import { Link } from "../app/link.tsx";
import { usePageTitle } from "../app/page-title.ts";
import { useShortcuts } from "../app/use-shortcuts.ts";
import { Button } from "../ui/button.tsx";
import { Empty, NotLoaded } from "../ui/empty.tsx";
import { showFailure } from "../ui/toast.ts";
import { ApprovalCard } from "./approval-card.tsx";
import { client } from "../api/client.ts";
import { RelativeTime } from "../ui/relative-time.tsx";
import { approvalOf } from "./approval.ts";
import type { FileChange } from "./change-view.tsx";
import { changesOf } from "./changes-of.ts";

/** The open requests of all sessions, oldest first. */
export function InboxPage(): ReactElement {
  usePageTitle("Inbox");
  const { data, error, refetch } = useQuery(suspensionsQuery);
  const sessions = useWaitingSessions();
  const list = useRef<HTMLDivElement>(null);
  useShortcuts({
    j: () => moveFocus(list.current, 1),
    k: () => moveFocus(list.current, -1),
  });
  const suspensions = data?.suspensions ?? [];
  const unused = data?.unusedAnswers ?? [];
  const isEmpty = suspensions.length + unused.length === 0;
  const nameOf = (sessionId: string): string =>
    sessions.get(sessionId)?.name ?? `Session ${sessionId.slice(0, 8)}`;
  const forPeople = suspensions.filter(isForPerson);
  const others = suspensions.filter((suspension) => !isForPerson(suspension));
  const place = suspensions.map(({ id }) => id).join(" ");
  const cards = (shown: readonly Suspension[]): ReactElement[] =>
    shown.map((suspension) => (
      <InboxCard
        key={suspension.id}
        suspension={suspension}
        name={nameOf(suspension.sessionId)}
        root={sessions.get(suspension.sessionId)?.root ?? null}
        place={place}
        alone={suspensions.length === 1}
      />
    ));
  return (
    <main className="min-h-0 flex-1 overflow-y-auto">
      <div ref={list} className="mx-auto flex max-w-3xl flex-col gap-3 px-3 py-4 sm:px-6">
        <header className="flex items-center gap-3">
          <h1 className="text-lg font-semibold">Inbox</h1>
          {!isEmpty && (
            <span className="text-muted">{countText(forPeople.length + unused.length)}</span>
          )}
          <span className="ml-auto md:hidden">
            <ConnectionBadge dotOnly />
          </span>
        </header>
        {data === undefined && (
          <NotLoaded name="inbox" error={error} onRetry={() => void refetch()} />
        )}
        {data !== undefined && isEmpty && (
          <Empty icon={<Inbox size={28} />} title="Nothing needs you">
            Permission requests and questions from all sessions appear here.
          </Empty>
        )}
        {cards(forPeople)}
        {unused.map((each) => (
          <UnusedCard key={each.suspensionId} unused={each} name={nameOf(each.sessionId)} />
        ))}
        {others.length > 0 && (
          <h2 className="mt-3 text-xs font-semibold text-muted">Waiting for something else</h2>
        )}
        {cards(others)}
      </div>
    </main>
  );
}

function InboxCard({
  suspension,
  name,
  root,
  place,
  alone,
}: {
  readonly suspension: Suspension;
  readonly name: string;
  readonly root: string | null;
  readonly place: string;
  readonly alone: boolean;
}): ReactElement {
  const changes = useChanges(suspension);
  const { sessionId } = suspension;
  return (
    <ApprovalCard
      sessionId={sessionId}
      suspension={suspension}
      changes={changes.are === "known" ? changes.changes : []}
      root={root}
      place={`${place} ${changes.are}`}
      pageKeys={alone}
      heading={<SessionLink id={sessionId} name={name} />}
      footer={
        changes.are === "unknown" && (
          <p className="text-xs text-muted">Open the session to see the changes.</p>
        )
      }
    />
  );
}

function SessionLink({ id, name }: { readonly id: string; readonly name: string }): ReactElement {
  return (
    <Link
      to={{ page: "session", id }}
      className="touch-target inline-flex items-center self-start text-sm text-accent underline-offset-2 wrap-anywhere hover:underline"
    >
      {name}
    </Link>
  );
}

/** The names of waiting sessions and the folders of their repositories. */
function useWaitingSessions() {
  const { data } = useInfiniteQuery(sessionsQuery({ state: ["suspended"] }));
  const { data: repositories } = useQuery(repositoriesQuery);
  const sessions = data?.pages.flatMap((page) => page.sessions) ?? [];
  const roots = new Map(repositories?.repos.map(({ id, path }) => [id, path]));
  return new Map(
    sessions.map((session) => [
      session.id,
      { name: sessionName(session), root: roots.get(session.repoId ?? "") ?? null },
    ]),
  );
}

function countText(count: number): string {
  return count === 1 ? "1 needs you" : `${count} need you`;
}

/** Focuses the next or previous card, never one of its answers. */
function moveFocus(list: HTMLElement | null, by: 1 | -1): void {
  const cards = [...(list?.querySelectorAll<HTMLElement>("[data-approval]") ?? [])];
  const at = cards.findIndex((card) => card.contains(document.activeElement));
  const next = at === -1 ? cards[by === 1 ? 0 : cards.length - 1] : cards[at + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

/** An allowed action that the agent apparently did not perform. */
function UnusedCard({
  unused,
  name,
}: {
  readonly unused: InboxUnusedAnswer;
  readonly name: string;
}): ReactElement {
  const titleId = useId();
  const queries = useQueryClient();
  const { sessionId, runId, suspensionId, title, at } = unused;
  const { mutate, isPending } = useMutation({
    mutationFn: () => client.dismissUnused(sessionId, runId),
    onSuccess: (inbox) => void queries.setQueryData(suspensionsQuery.queryKey, inbox),
    onError: (error) => showFailure("It was not dismissed", error),
  });
  return (
    <section
      aria-labelledby={titleId}
      data-approval={suspensionId}
      tabIndex={-1}
      className="flex shrink-0 flex-col gap-3 rounded-lg border border-warn bg-surface p-3 sm:p-4"
    >
      <header className="flex flex-col gap-1">
        <SessionLink id={sessionId} name={name} />
        <p className="flex flex-wrap items-baseline gap-x-2 text-xs text-muted">
          <span className="font-semibold text-warn">Allowed, not done</span>
          <RelativeTime time={at} />
        </p>
        <h2 id={titleId} className="text-sm font-semibold wrap-anywhere">
          {title}
        </h2>
      </header>
      <p className="text-sm text-muted">
        The agent ended before the answer arrived, and the next agent did not perform this action.
        Send a message to ask for it again.
      </p>
      <Button className="self-start" busy={isPending} onClick={() => mutate()}>
        Dismiss
      </Button>
    </section>
  );
}

type Changes =
  | { readonly are: "known"; readonly changes: readonly FileChange[] }
  | { readonly are: "loading" }
  | { readonly are: "unknown" };

/** An agent reports the tool call shortly before it asks for permission. */
const BEFORE_MS = 10 * 60_000;

/** The changes of a request, read from the session's messages. */
function useChanges(suspension: Suspension): Changes {
  const approval = approvalOf(suspension);
  const toolCallId = approval.ask === "choice" ? approval.toolCallId : null;
  const { data, isError } = useQuery({
    queryKey: ["changes", suspension.id],
    enabled: toolCallId !== null,
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const since = new Date(Date.parse(suspension.createdAt) - BEFORE_MS).toISOString();
      const { messages } = await client.sessions.messages(
        suspension.sessionId,
        { since },
        { signal },
      );
      const isThere = messages.some(({ content }) => content["callId"] === toolCallId);
      return isThere ? changesOf(messages, toolCallId) : null;
    },
  });
  if (toolCallId === null) return { are: "known", changes: [] };
  if (isError || data === null) return { are: "unknown" };
  return data === undefined ? { are: "loading" } : { are: "known", changes: data };
}
