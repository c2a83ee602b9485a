import type { PageStorage } from "./page-storage.ts";
import { createStore } from "./store.ts";

const KEY = "holdfast.key";
/** Earlier versions stored the token itself. */
const FORMER_TOKEN = "holdfast.token";

/** The page's access to the server. */
export interface Access {
  /** Sent with the cookie, which scripts cannot read. Null before the first sign-in. */
  readonly key: string | null;
  /** The server asks the browser to sign in. */
  readonly refused: boolean;
  /** Why the last attempt to sign in failed. */
  readonly problem: string | null;
}

export type AccessStore = ReturnType<typeof createAccessStore>;

export function createAccessStore(storage: PageStorage) {
  const { current, subscribe, set } = createStore<Access>({
    key: storage.get(KEY),
    refused: false,
    problem: null,
  });
  return {
    current,
    subscribe,
    /** The browser has signed in with this key; null after it has signed out. */
    setKey: (key: string | null): void => {
      storage.set(KEY, key);
      set({ key, refused: key === null, problem: null });
    },
    refuse: (): void => {
      if (!current().refused) set({ ...current(), refused: true });
    },
    fail: (problem: string): void => set({ ...current(), problem }),
    /** The token that an earlier version of the page stored. */
    formerToken: (): string | null => storage.get(FORMER_TOKEN),
    forgetFormerToken: (): void => storage.set(FORMER_TOKEN, null),
  };
}
