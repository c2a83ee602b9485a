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
}

/** Searches all messages, including those not on the screen. */
export interface Find {
  subscribe(listener: () => void): () => void;
  current(): FindState;
  /** Starts at the newest hit. An empty query ends the search. */
  findIn(query: string): void;
  next(): void;
  previous(): void;
  clear(): void;
}

const NOTHING: FindState = { query: "", hits: [], at: null };
/** The maximum number of counted hits. */
const MAX_HITS = 5_000;

export function createFind(store: Pick<TranscriptStore, "search">): Find {
  const state = createStore(NOTHING);
  const step = (by: number): void => {
    const { hits, at } = state.current();
    if (at === null) return;
    state.set({ ...state.current(), at: (at + by + hits.length) % hits.length });
  };
  return {
    subscribe: state.subscribe,
    current: state.current,
    findIn(query) {
      const hits = hitsOf(store, query);
      state.set({ query, hits, at: hits.length === 0 ? null : hits.length - 1 });
    },
    next: () => step(1),
    previous: () => step(-1),
    clear: () => state.set(NOTHING),
  };
}

function hitsOf(store: Pick<TranscriptStore, "search">, query: string): readonly Hit[] {
  const wanted = foldCase(query.trim());
  if (wanted === "") return [];
  const hits: Hit[] = [];
  store.search((messageId, words) => {
    let index = 0;
    const text = foldCase(words);
    for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
      if (hits.length >= MAX_HITS) return;
      hits.push({ messageId, index });
      index += 1;
    }
  });
  return hits;
}

/** Folds the case without changing the length, so that offsets stay valid. */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}
