/** The page's storage in this browser; empty where storage is not allowed. */
export interface PageStorage {
  get(key: string): string | null;
  /** Null removes it. */
  set(key: string, value: string | null): void;
}

/** Browsers can forbid storage or run out of space: then nothing is stored. */
export function openPageStorage(open: () => Storage): PageStorage {
  return {
    get: (key) => attempt(() => open().getItem(key)) ?? null,
    set: (key, value) => {
      attempt(() => (value === null ? open().removeItem(key) : open().setItem(key, value)));
    },
  };
}

export const pageStorage: PageStorage = openPageStorage(() => localStorage);

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Stored JSON; null when there is none or it is invalid. */
export function parseJson(stored: string | null): unknown {
  return attempt((): unknown => JSON.parse(stored ?? "null")) ?? null;
}
