import { parseListSearch, type ListSearch } from "../list/list-search.ts";

/** The query parameters of one page. */
export type PageSearch = Readonly<Record<string, string>>;

/** A location in the app. Each has a URL; a URL is one of these or unknown. */
export type Place =
  | { readonly page: "list"; readonly search?: ListSearch }
  | {
      readonly page: "session";
      readonly id: string;
      readonly search?: PageSearch;
      /** The id of a message to scroll to. */
      readonly hash?: string;
    }
  | { readonly page: "inbox" | "analytics" | "settings" | "compare"; readonly search?: PageSearch };

export type PageName = Place["page"];

const PATHS = {
  list: "/",
  inbox: "/inbox",
  analytics: "/analytics",
  settings: "/settings",
  compare: "/compare",
} as const satisfies Record<Exclude<PageName, "session">, string>;

const PAGES = ["list", "inbox", "analytics", "settings", "compare"] as const;
const SESSION_PATH = /^\/sessions\/([^/]+)\/?$/u;

export function hrefOf(place: Place): string {
  const path =
    place.page === "session" ? `/sessions/${encodeURIComponent(place.id)}` : PATHS[place.page];
  const hash = place.page === "session" ? (place.hash ?? "") : "";
  return `${path}${searchText(place.search ?? {})}${hash === "" ? "" : `#${encodeURIComponent(hash)}`}`;
}

/** Null for an unknown URL. */
export function parsePlace(url: Pick<Location, "pathname" | "search" | "hash">): Place | null {
  const { pathname, search, hash } = url;
  const query = Object.fromEntries(new URLSearchParams(search));
  const id = SESSION_PATH.exec(pathname)?.[1];
  if (id !== undefined) {
    const session = decoded(id);
    const message = decoded(hash.slice(1)) ?? "";
    if (session === null) return null;
    return {
      page: "session",
      id: session,
      search: query,
      ...(message !== "" && { hash: message }),
    };
  }
  const path = pathname.length > 1 ? pathname.replace(/\/$/u, "") : pathname;
  const page = PAGES.find((each) => PATHS[each] === path);
  if (page === undefined) return null;
  return page === "list" ? { page, search: parseListSearch(query) } : { page, search: query };
}

function searchText(search: ListSearch | PageSearch): string {
  const values = Object.entries(search).flatMap(([name, value]: [string, unknown]) =>
    value === undefined || value === "" ? [] : [[name, typeof value === "string" ? value : "1"]],
  );
  const text = new URLSearchParams(values).toString();
  return text === "" ? "" : `?${text}`;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
