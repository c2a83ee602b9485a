import type { PageStorage } from "./page-storage.ts";
import { createStore } from "./store.ts";

const KEY = "holdfast.token";

/** The page's access to the server. */
export interface Access {
  readonly token: string | null;
  /** The server rejected the token, or asks for one. */
  readonly refused: boolean;
}

/** The server's token, stored in this browser. */
export interface AccessStore {
  current(): Access;
  subscribe(changed: () => void): () => void;
  /** Null removes it. */
  setToken(token: string | null): void;
  refuse(): void;
}

export function createAccessStore(storage: PageStorage): AccessStore {
  const { current, subscribe, set } = createStore<Access>({
    token: storage.get(KEY),
    refused: false,
  });
  return {
    current,
    subscribe,
    setToken: (token) => {
      storage.set(KEY, token);
      set({ token, refused: false });
    },
    refuse: () => {
      if (!current().refused) set({ ...current(), refused: true });
    },
  };
}
