import { createStore } from "../api/store.ts";
import type { TranscriptStore } from "./transcript-store.ts";

export interface Hit {
  readonly messageId: string;
  /** The index among the hits of the message. */
  readonly index: number;
}

export interface FindState {
  readonly query: string;
  readonly hits: readonly Hit[];
  /** The current hit; null when there is none. */
  readonly at: number | null;
  /** Whether older messages are being searched. */
  readonly isSearching: boolean;
}

export type Find = ReturnType<typeof createFind>;

const NOTHING: FindState = { query: "", hits: [], at: null, isSearching: false };
/** The maximum number of counted hits. */
const MAX_HITS = 5_000;

type Searched = Pick<TranscriptStore, "search" | "earlier">;

/** Searches all messages, including those not on the screen and not yet loaded. */
export function createFind(store: Searched) {
  const state = createStore(NOTHING);
  const step = (by: number): void => {
    const { hits, at } = state.current();
    if (at === null) return;
    state.set({ ...state.current(), at: (at + by + hits.length) % hits.length });
  };
  /** Adds what older messages have. The current hit stays. */
  const searchEarlier = async (query: string): Promise<void> => {
    while ((await store.earlier.load()) && state.current().query === query) {
      const { hits: before, at } = state.current();
      const hits = hitsOf(store, query);
      const fromEnd = at === null ? 1 : before.length - at;
      state.set({
        query,
        hits,
        at: hits.length === 0 ? null : hits.length - fromEnd,
        isSearching: store.earlier.count > 0,
      });
    }
    if (state.current().query === query) state.set({ ...state.current(), isSearching: false });
  };
  return {
    subscribe: state.subscribe,
    current: state.current,
    /** Starts at the newest hit. An empty query ends the search. */
    findIn(query: string): void {
      const hits = hitsOf(store, query);
      const isSearching = store.earlier.count > 0 && query.trim() !== "";
      state.set({ query, hits, at: hits.length === 0 ? null : hits.length - 1, isSearching });
      if (isSearching) void searchEarlier(query);
    },
    next: () => step(1),
    previous: () => step(-1),
    clear: () => state.set(NOTHING),
  };
}

function hitsOf(store: Pick<Searched, "search">, query: string): readonly Hit[] {
  const folded = foldCase(query.trim());
  if (folded === "") return [];
  const hits: Hit[] = [];
  store.search((messageId, words) => {
    if (hits.length >= MAX_HITS) return;
    const offsets = offsetsOf(foldCase(words), folded).slice(0, MAX_HITS - hits.length);
    for (const index of offsets.keys()) hits.push({ messageId, index });
  });
  return hits;
}

/** The offsets of a part in a text. */
export function offsetsOf(text: string, part: string): readonly number[] {
  const offsets: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length))
    offsets.push(at);
  return offsets;
}

/** Folds the case without changing the length, so that offsets stay valid. */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}
