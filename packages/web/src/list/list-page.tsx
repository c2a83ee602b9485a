import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Archive, MessagesSquare, Plus, SearchX, X } from "lucide-react";
import { type ReactElement, useCallback, useMemo, useState } from "react";
import type { Session } from "@holdfast/protocol";
import { providersQuery, repositoriesQuery, sessionsQuery } from "../api/queries.ts";
import { useStore } from "../api/store.ts";
import { openOverlay } from "../app/overlay.ts";
import { usePageTitle } from "../app/page-title.ts";
import { goTo, usePlace } from "../app/router.ts";
import { useShortcuts } from "../app/use-shortcuts.ts";
import { Count } from "../ui/badge.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { Empty, NotLoaded } from "../ui/empty.tsx";
import { FirstMinute } from "./first-minute.tsx";
import { FilterBar, type FilterBarProps } from "./filter-bar.tsx";
import { type ListSearch, narrowedBy, toFilter } from "./list-search.ts";
import { SearchField } from "./search-field.tsx";
import { type Selection, useSelection } from "./selection.ts";
import { SessionRows } from "./session-rows.tsx";
import { archiver, archiveSessions, canArchive, isQuiet } from "./archive-sessions.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";

const NOTHING: ListSearch = {};

export function ListPage(): ReactElement {
  usePageTitle("Sessions");
  const place = usePlace();
  const search = place?.page === "list" ? (place.search ?? NOTHING) : NOTHING;
  const list = useSessions(search);
  const repositories = useQuery(repositoriesQuery).data?.repos ?? [];
  const providers = useQuery(providersQuery).data?.providers ?? [];
  const selection = useSelection();
  useShortcuts({ escape: selection.clear });
  const change = useCallback(
    (next: ListSearch) => goTo({ page: "list", search: next }, { replace: true }),
    [],
  );
  const changeWords = useCallback(
    (words: string) => {
      const { q: _, ...others } = search;
      change(words === "" ? others : { ...others, q: words });
    },
    [change, search],
  );
  return (
    <main className="flex min-h-0 flex-1 flex-col">
      <header className="flex items-center gap-2 px-3 pt-3 pb-2 md:gap-3 md:px-4">
        <h1 className="flex items-center gap-2 text-base font-semibold">
          <span className="max-sm:sr-only">Sessions</span>
          <Count value={list.counts?.badge ?? 0} label="open" tone="plain" />
        </h1>
        <SearchField value={search.q ?? ""} onChange={changeWords} />
        <IconButton
          label="New session"
          tone="primary"
          className="md:hidden"
          onClick={() => openOverlay("new-session")}
        >
          <Plus size={18} aria-hidden="true" />
        </IconButton>
      </header>
      <FilterBar {...{ search, repositories, providers, counts: list.counts, onChange: change }} />
      <ListBody {...{ list, search, selection, change, repositories, providers }} />
    </main>
  );
}

function ListBody({
  list,
  search,
  selection,
  change,
  repositories,
  providers,
}: Pick<FilterBarProps, "search" | "repositories" | "providers"> & {
  readonly list: ReturnType<typeof useSessions>;
  readonly selection: Selection;
  readonly change: (search: ListSearch) => void;
}): ReactElement {
  const { sessions, hits } = list;
  const { archive, dialog } = useArchiving(sessions);
  const rows = useMemo(() => {
    const repositoryNames = new Map(repositories.map(({ id, name }) => [id, name]));
    const titles = new Map(providers.map(({ name, title }) => [name, title]));
    const order = sessions.map(({ id }) => id);
    return sessions.map((session) => ({
      session,
      repository: repositoryNames.get(session.repoId ?? "") ?? null,
      provider: session.provider && (titles.get(session.provider) ?? session.provider),
      query: search.q,
      hit: hits.get(session.id) ?? null,
      isSelected: selection.ids.has(session.id),
      isSelecting: selection.ids.size > 0,
      onSelect: ({ range }: { readonly range: boolean }) =>
        range ? selection.extendTo(session.id, order) : selection.toggle(session.id),
      onArchive: () => archive([session.id]),
    }));
  }, [sessions, hits, repositories, providers, search.q, selection, archive]);

  if (list.isLoading) return <p className="p-6 text-muted">Loading sessions…</p>;
  if (list.error !== null && sessions.length === 0)
    return <NotLoaded name="list" error={list.error} onRetry={list.retry} />;
  if (sessions.length === 0 && !list.hasMore)
    return (
      <ListEmpty
        isNarrowed={search.q !== undefined || narrowedBy(search) > 0}
        archived={search.archived === true ? 0 : (list.counts?.archived ?? 0)}
        onClear={() => change({})}
        onShowArchived={() => change({ archived: true })}
      />
    );
  return (
    <>
      <SelectionBar
        sessions={sessions.filter(({ id }) => selection.ids.has(id))}
        onArchive={(ids) => {
          archive(ids);
          selection.clear();
        }}
        onClear={selection.clear}
      />
      <SessionRows
        rows={rows}
        listKey={JSON.stringify(search)}
        hasMore={list.hasMore}
        onLoadMore={list.loadMore}
      />
      {dialog}
    </>
  );
}

function useSessions(search: ListSearch) {
  const { data, isPending, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    useInfiniteQuery({
      ...sessionsQuery(toFilter(search)),
      placeholderData: keepPreviousData,
    });
  const hidden = useStore(archiver.hidden);
  const sessions = useMemo(
    () =>
      (data?.pages ?? [])
        .flatMap((page) => page.sessions)
        .filter(({ id, status }) => !hidden.has(id) || status === "archived"),
    [data, hidden],
  );
  /** The matching messages by session. */
  const hits = useMemo(() => {
    const all = (data?.pages ?? []).flatMap((page) => page.hits ?? []);
    return new Map(all.map((hit) => [hit.sessionId, hit]));
  }, [data]);
  return {
    sessions,
    hits,
    counts: data?.pages[0]?.counts ?? null,
    isLoading: isPending,
    error,
    hasMore: hasNextPage,
    loadMore: () => {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
    },
    retry: () => void refetch(),
  };
}

/** The empty state: nothing matches, everything is archived, or there are no sessions yet. */
function ListEmpty({
  isNarrowed,
  archived,
  onClear,
  onShowArchived,
}: {
  readonly isNarrowed: boolean;
  /** The number of archived sessions that are not listed. */
  readonly archived: number;
  readonly onClear: () => void;
  readonly onShowArchived: () => void;
}): ReactElement {
  if (isNarrowed)
    return (
      <Empty
        icon={<SearchX size={28} />}
        title="No matching sessions"
        action={<Button onClick={onClear}>Clear search and filters</Button>}
      >
        The search finds the beginnings of words in titles and messages.
      </Empty>
    );
  const create = (
    <Button
      tone="primary"
      icon={<Plus size={16} aria-hidden="true" />}
      onClick={() => openOverlay("new-session")}
    >
      New session
    </Button>
  );
  if (archived > 0)
    return (
      <Empty
        icon={<MessagesSquare size={28} />}
        title="No open sessions"
        action={
          <span className="flex flex-wrap justify-center gap-2">
            <Button onClick={onShowArchived}>Show archived ({archived})</Button>
            {create}
          </span>
        }
      >
        All sessions are archived.
      </Empty>
    );
  return <FirstMinute />;
}

/** The actions on the selected sessions. */
function SelectionBar({
  sessions,
  onArchive,
  onClear,
}: {
  readonly sessions: readonly Session[];
  readonly onArchive: (ids: readonly string[]) => void;
  readonly onClear: () => void;
}): ReactElement | null {
  if (sessions.length === 0) return null;
  const open = sessions.filter(canArchive).map(({ id }) => id);
  return (
    <div
      role="toolbar"
      aria-label="Selected sessions"
      className="mx-3 mb-2 flex items-center gap-2 rounded-md bg-accent-soft py-1 pr-1 pl-3 md:mx-4"
    >
      <span className="flex-1 font-medium">{sessions.length} selected</span>
      <Button
        size="small"
        icon={<Archive size={14} aria-hidden="true" />}
        disabled={open.length === 0}
        onClick={() => onArchive(open)}
      >
        Archive{open.length === sessions.length ? "" : ` ${open.length}`}
      </Button>
      <IconButton size="small" label="Clear selection" onClick={onClear}>
        <X size={15} aria-hidden="true" />
      </IconButton>
    </div>
  );
}

/** Archives quiet sessions at once, with an undo, and asks before archiving busy ones. */
function useArchiving(sessions: readonly Session[]): {
  readonly archive: (ids: readonly string[]) => void;
  readonly dialog: ReactElement | null;
} {
  const [pending, setPending] = useState<readonly string[] | null>(null);
  const close = (): void => setPending(null);
  const busy = sessions.filter(({ id }) => pending?.includes(id)).filter((one) => !isQuiet(one));
  const dialog =
    pending === null ? null : (
      <ConfirmDialog
        open
        title={
          pending.length === 1 ? "Archive this session?" : `Archive ${pending.length} sessions?`
        }
        confirm="Archive"
        onClose={close}
        onConfirm={() => {
          archiveSessions(pending);
          close();
        }}
      >
        {busy.length === 1
          ? "An agent is working or waiting for an answer. Its run is cancelled."
          : `In ${busy.length} of them an agent is working or waiting for an answer. Their runs are cancelled.`}
      </ConfirmDialog>
    );
  const archive = useCallback(
    (ids: readonly string[]) => {
      const open = sessions.filter(({ id }) => ids.includes(id)).filter(canArchive);
      const openIds = open.map(({ id }) => id);
      if (open.every(isQuiet)) archiveSessions(openIds);
      else setPending(openIds);
    },
    [sessions],
  );
  return { archive, dialog };
}
