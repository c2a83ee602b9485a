import type { PageStorage } from "./page-storage.ts";

const KEY = "holdfast.token";

/** What the page may do at the server, as far as it knows. */
export interface Access {
  readonly token: string | null;
  /** The server said that the token is missing or wrong. */
  readonly refused: boolean;
}

/** The server's token, kept in this browser. */
export interface AccessStore {
  current(): Access;
  subscribe(changed: () => void): () => void;
  /** Null forgets it. */
  setToken(token: string | null): void;
  refuse(): void;
}

export function createAccessStore(storage: PageStorage): AccessStore {
  const listeners = new Set<() => void>();
  let access: Access = { token: storage.get(KEY), refused: false };
  const change = (next: Access): void => {
    access = next;
    for (const listener of listeners) listener();
  };
  return {
    current: () => access,
    subscribe: (changed) => {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    setToken: (token) => {
      storage.set(KEY, token);
      change({ token, refused: false });
    },
    refuse: () => {
      if (!access.refused) change({ ...access, refused: true });
    },
  };
}
