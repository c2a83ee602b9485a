import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useCallback, useMemo, type ReactElement } from "react";
import { providersQuery, repositoriesQuery } from "../api/queries.ts";
import { openOverlay } from "../app/overlay.ts";
import { usePageTitle } from "../app/page-title.ts";
import { goTo, usePlace } from "../app/router.ts";
import { useShortcuts } from "../app/use-shortcuts.ts";
import { Count } from "../ui/badge.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { reasonOf } from "../ui/toast.ts";
import { FilterBar } from "./filter-bar.tsx";
import { ListEmpty } from "./list-empty.tsx";
import { narrowedBy, type ListSearch } from "./list-search.ts";
import { SearchField } from "./search-field.tsx";
import { SelectionBar } from "./selection-bar.tsx";
import { useSelection } from "./selection.ts";
import { SessionRows } from "./session-rows.tsx";
import { useArchiving } from "./use-archiving.tsx";
import { useSessions, type Sessions } from "./use-sessions.ts";

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
      <Listed {...{ list, search, selection, change }} names={{ repositories, providers }} />
    </main>
  );
}

interface Named {
  readonly repositories: readonly { readonly id: string; readonly name: string }[];
  readonly providers: readonly { readonly name: string; readonly title: string }[];
}

function Listed({
  list,
  search,
  selection,
  change,
  names,
}: {
  readonly list: Sessions;
  readonly search: ListSearch;
  readonly selection: ReturnType<typeof useSelection>;
  readonly change: (search: ListSearch) => void;
  readonly names: Named;
}): ReactElement {
  const { sessions, hits } = list;
  const { archive, dialog } = useArchiving(sessions);
  const rows = useMemo(() => {
    const repositories = new Map(names.repositories.map(({ id, name }) => [id, name]));
    const providers = new Map(names.providers.map(({ name, title }) => [name, title]));
    const order = sessions.map(({ id }) => id);
    return sessions.map((session) => ({
      session,
      repository: session.repoId === null ? null : (repositories.get(session.repoId) ?? null),
      provider: session.provider && (providers.get(session.provider) ?? session.provider),
      query: search.q,
      hit: hits.get(session.id) ?? null,
      isSelected: selection.ids.has(session.id),
      isSelecting: selection.ids.size > 0,
      onSelect: ({ range }: { readonly range: boolean }) =>
        range ? selection.extendTo(session.id, order) : selection.toggle(session.id),
      onArchive: () => archive([session.id]),
    }));
  }, [sessions, hits, names, search.q, selection, archive]);

  if (list.isLoading) return <p className="p-6 text-muted">Loading sessions…</p>;
  if (list.error !== null && sessions.length === 0)
    return (
      <Empty
        title="The list could not be read"
        action={<Button onClick={list.retry}>Try again</Button>}
      >
        {reasonOf(list.error)}
      </Empty>
    );
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
        onArchive={(id) => archive([id])}
      />
      {dialog}
    </>
  );
}
