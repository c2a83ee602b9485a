import { startTransition, useCallback, useEffect, useSyncExternalStore, useState } from "react";
import { createListeners } from "../api/store.ts";
import { hrefOf, parsePlace, type Place } from "./place.ts";

const listeners = createListeners();
let seen: { readonly href: string; readonly place: Place | null } | null = null;

/** Navigates to a place. `replace` replaces the current history entry. */
export function goTo(place: Place, { replace = false }: { readonly replace?: boolean } = {}): void {
  const href = hrefOf(place);
  if (href === location.pathname + location.search + location.hash) return;
  if (replace) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  listeners.notify();
}

let load: (place: Place) => void = () => {};

/** Sets the loader of pages: links cannot import the pages, because pages contain links. */
export function setPreload(loader: (place: Place) => void): void {
  load = loader;
}

/** Loads the code of a page ahead of time. */
export function preload(place: Place): void {
  load(place);
}

/** The place of the current URL; null when it is unknown. */
function currentPlace(): Place | null {
  const href = location.href;
  if (seen?.href !== href) seen = { href, place: parsePlace(location) };
  return seen.place;
}

export function usePlace(): Place | null {
  return useSyncExternalStore(subscribe, currentPlace);
}

/** The place whose page is shown: the previous one stays until the code of the next is loaded. */
export function useShownPlace(): Place | null {
  const [shown, setShown] = useState(currentPlace);
  const follow = useCallback(() => startTransition(() => setShown(currentPlace())), []);
  useEffect(() => subscribe(follow), [follow]);
  return shown;
}

function subscribe(changed: () => void): () => void {
  const remove = listeners.add(changed);
  addEventListener("popstate", changed);
  addEventListener("hashchange", changed);
  return () => {
    remove();
    removeEventListener("popstate", changed);
    removeEventListener("hashchange", changed);
  };
}
