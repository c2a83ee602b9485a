import type { PageStorage } from "./page-storage.ts";
import { createStore } from "./store.ts";

const KEY = "holdfast.token";

/** The page's access to the server. */
export interface Access {
  readonly token: string | null;
  /** The server rejected the token, or asks for one. */
  readonly refused: boolean;
}

export type AccessStore = ReturnType<typeof createAccessStore>;

/** The server's token, stored in this browser. */
export function createAccessStore(storage: PageStorage) {
  const { current, subscribe, set } = createStore<Access>({
    token: storage.get(KEY),
    refused: false,
  });
  return {
    current,
    subscribe,
    /** Null removes it. */
    setToken: (token: string | null): void => {
      storage.set(KEY, token);
      set({ token, refused: false });
    },
    refuse: (): void => {
      if (!current().refused) set({ ...current(), refused: true });
    },
  };
}
