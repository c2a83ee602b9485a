import type { ReactElement } from "react";
import { useStore } from "../api/store.ts";
import { Column } from "../ui/column.tsx";
import { SearchField } from "./filters/search-field.tsx";
import { besideSearch } from "./list-place.ts";
import { SessionList } from "./session-list.tsx";
import { useSessionList } from "./use-session-list.ts";

const WIDTH = { min: 240, usual: 300, max: 480 } as const;

/** The list beside an open session. */
export function ListColumn({ openId }: { readonly openId: string }): ReactElement {
  const search = useStore(besideSearch);
  const list = useSessionList(search);
  const changeWords = (words: string): void => {
    const { q: _, ...others } = besideSearch.current();
    besideSearch.set(words === "" ? others : { ...others, q: words });
  };
  return (
    <Column name="list" label="Width of the list" side="left" width={WIDTH}>
      <nav aria-label="Sessions" className="flex min-h-0 flex-1 flex-col">
        <div className="flex px-3 pt-3 pb-2">
          <SearchField hasKey={false} value={search.q ?? ""} onChange={changeWords} />
        </div>
        <SessionList look="column" onChange={besideSearch.set} {...{ list, search, openId }} />
      </nav>
    </Column>
  );
}
