import { Plus } from "lucide-react";
import { type ReactElement, useCallback, useEffect } from "react";
import { openOverlay } from "../app/overlay.ts";
import { usePageTitle } from "../app/page-title.ts";
import { goTo, usePlace } from "../app/router.ts";
import { IconButton } from "../ui/button.tsx";
import { SearchField } from "./filters/search-field.tsx";
import { besideSearch } from "./list-place.ts";
import { type ListSearch, unknownFilters } from "./list-search.ts";
import { SessionList } from "./session-list.tsx";
import { useSessionList } from "./use-session-list.ts";

const NOTHING: ListSearch = {};

/** All sessions. The filters are in the address. */
export function ListPage(): ReactElement {
  usePageTitle("Sessions");
  const place = usePlace();
  const isHere = place?.page === "list";
  // While the next page is loaded, this one stays as it is.
  const search = isHere ? (place.search ?? NOTHING) : besideSearch.current();
  const unknown = isHere
    ? unknownFilters(Object.fromEntries(new URLSearchParams(location.search)))
    : [];
  const list = useSessionList(search);
  // Without any session there is nothing to search.
  const hasSessions =
    list.isLoading || search.q !== undefined || list.counts.all + list.counts.archived > 0;
  useEffect(() => besideSearch.set(search), [search]);
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
      <header className="flex flex-wrap items-center gap-2 px-3 pt-3 pb-2">
        <h1 className="text-2xl font-bold max-md:mr-auto md:w-28 md:text-base md:font-semibold">
          Sessions
        </h1>
        {hasSessions && (
          <div className="flex min-w-0 flex-1 max-md:order-last max-md:basis-full">
            <SearchField hasKey value={search.q ?? ""} onChange={changeWords} />
          </div>
        )}
        <IconButton
          label="New session"
          tone="primary"
          className="md:hidden"
          onClick={() => openOverlay("new-session")}
        >
          <Plus size={18} aria-hidden="true" />
        </IconButton>
      </header>
      <SessionList look="page" {...{ list, search, unknown, onChange: change }} />
    </main>
  );
}
