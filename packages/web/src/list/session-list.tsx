import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { providersQuery, repositoriesQuery } from "../api/queries.ts";
import { useShortcuts } from "../app/use-shortcuts.ts";
import { NotLoaded } from "../ui/empty.tsx";
import { loaded } from "../ui/loaded.tsx";
import { FilterBar } from "./filters/filter-bar.tsx";
import { ListEmpty } from "./list-empty.tsx";
import { type ListSearch, narrowedBy } from "./list-search.ts";
import { isUnread } from "./rows/unread.ts";
import { useHeldOrder } from "./rows/use-held-order.ts";
import type { ListLook, RowActions } from "./rows/session-row.tsx";
import { SessionRows } from "./rows/session-rows.tsx";
import { type Selection, useSelection } from "./selection.ts";
import { useArchiving } from "./use-archiving.tsx";
import type { SessionListData } from "./use-session-list.ts";

const SelectionBar = loaded(() => import("./selection-bar.tsx").then((m) => m.SelectionBar));

/** The sessions with their filters: the page of all sessions, or a column beside an open one. */
export function SessionList({
  list,
  look,
  search,
  unknown = [],
  openId = null,
  onChange,
}: {
  readonly list: SessionListData;
  readonly look: ListLook;
  readonly search: ListSearch;
  readonly unknown?: readonly string[];
  /** The session that is open beside the list. */
  readonly openId?: string | null;
  readonly onChange: (search: ListSearch) => void;
}): ReactElement {
  const repositories = useQuery(repositoriesQuery).data?.repos ?? [];
  const agents = useQuery(providersQuery).data?.providers ?? [];
  const selection = useSelection();
  const isNarrowed = search.q !== undefined || narrowedBy(search) > 0;
  const isEmpty = list.entries.length === 0 && !list.hasMore;
  const bar = (
    <FilterBar
      {...{ look, search, unknown, repositories, agents, counts: list.counts, onChange }}
    />
  );
  if (list.isLoading) return <p className="p-6 text-muted">Loading sessions…</p>;
  if (list.error !== null && isEmpty)
    return <NotLoaded name="list" error={list.error} onRetry={list.retry} />;
  if (isEmpty)
    return (
      <>
        {(isNarrowed || unknown.length > 0 || search.archived === true) && bar}
        <ListEmpty
          look={look}
          isNarrowed={isNarrowed}
          archived={search.archived === true ? 0 : list.counts.archived}
          onClear={() => onChange({})}
          onShowArchived={() => onChange({ archived: true })}
        />
      </>
    );
  return (
    <>
      {bar}
      <ListBody
        key={JSON.stringify(search)}
        {...{ list, look, search, selection, openId, repositories, agents }}
      />
    </>
  );
}

function ListBody({
  list,
  look,
  search,
  selection,
  openId,
  repositories,
  agents,
}: {
  readonly list: SessionListData;
  readonly look: ListLook;
  readonly search: ListSearch;
  readonly selection: Selection;
  readonly openId: string | null;
  readonly repositories: readonly { readonly id: string; readonly name: string }[];
  readonly agents: readonly { readonly name: string; readonly title: string }[];
}): ReactElement {
  const { entries, hits } = list;
  const { shown, moved, release, handlers } = useHeldOrder(entries);
  const sessions = useMemo(() => entries.map(({ session }) => session), [entries]);
  const { archive, dialog } = useArchiving(sessions);
  const [answeredId, setAnsweredId] = useState<string | null>(null);
  const closeAnswer = useCallback(() => setAnsweredId(null), []);
  const order = shown.map(({ session }) => session.id);
  const actions = useLatest({
    select: (id, { range }) => (range ? selection.extendTo(id, order) : selection.toggle(id)),
    archive: (ids, onArchived) =>
      archive(ids, () => {
        selection.clear();
        onArchived?.();
      }),
    answer: setAnsweredId,
  });
  const rows = useMemo(() => {
    const repositoryNames = new Map(repositories.map(({ id, name }) => [id, name]));
    const titles = new Map(agents.map(({ name, title }) => [name, title]));
    return shown.map(({ session, group }) => ({
      session,
      look,
      // Hits are few, and the best of them may be old.
      group: search.q === undefined ? group : null,
      repository: repositoryNames.get(session.repoId ?? "") ?? null,
      agent: session.provider && (titles.get(session.provider) ?? session.provider),
      query: search.q,
      hit: hits.get(session.id) ?? null,
      isUnread: session.id !== openId && isUnread(session),
      isOpen: session.id === openId,
      isSelected: selection.ids.has(session.id),
      isSelecting: selection.ids.size > 0,
      actions,
    }));
  }, [shown, hits, repositories, agents, look, search.q, openId, selection, actions]);
  const selected = sessions.filter(({ id }) => selection.ids.has(id));
  return (
    <>
      {look === "page" && <SelectionKey onClear={selection.clear} />}
      {selected.length > 0 && (
        <SelectionBar
          sessions={selected}
          total={sessions.length}
          hasMore={list.hasMore}
          onSelectAll={() => selection.set(sessions.map(({ id }) => id))}
          onArchive={(ids) => actions.archive(ids)}
          onClear={selection.clear}
        />
      )}
      <div className="relative flex min-h-0 flex-1 flex-col" {...handlers}>
        {moved > 0 && (
          <button
            type="button"
            onClick={release}
            className="touch-target absolute top-1 left-1/2 z-20 h-7 -translate-x-1/2 rounded-full bg-accent px-3 text-xs font-medium whitespace-nowrap text-accent-fg shadow-lg"
          >
            {moved === 1 ? "1 session moved" : `${moved} sessions moved`} · Update
          </button>
        )}
        <SessionRows
          rows={rows}
          look={look}
          listKey={JSON.stringify(search)}
          hasMore={list.hasMore}
          onLoadMore={list.loadMore}
          answeredId={answeredId}
          onAnswerClose={closeAnswer}
        />
      </div>
      {dialog}
    </>
  );
}

function SelectionKey({ onClear }: { readonly onClear: () => void }): null {
  useShortcuts({ escape: onClear });
  return null;
}

/** The same functions for ever, which call the newest ones: rows that did not change are not rendered again. */
function useLatest(functions: RowActions): RowActions {
  const latest = useRef(functions);
  useEffect(() => {
    latest.current = functions;
  });
  return useMemo(
    () => ({
      select: (id, options) => latest.current.select(id, options),
      archive: (ids, onArchived) => latest.current.archive(ids, onArchived),
      answer: (id) => latest.current.answer(id),
    }),
    [],
  );
}
