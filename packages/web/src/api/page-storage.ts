/** What this browser keeps for the page; nothing where it may not keep anything. */
export interface PageStorage {
  get(key: string): string | null;
  /** Null removes it. */
  set(key: string, value: string | null): void;
}

/** Browsers can forbid storage, or have no room: then it is as if nothing had been kept. */
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
