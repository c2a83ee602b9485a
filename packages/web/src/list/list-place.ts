import { createStore } from "../api/store.ts";
import type { ListSearch } from "./list-search.ts";

/** The filters of the list beside an open session: those of the last list, until they are changed there. */
export const besideSearch = createStore<ListSearch>({});
