import { pageStorage, parseJson, type PageStorage } from "./page-storage.ts";
import { createListeners } from "./store.ts";

const NAME = "holdfast.seen";
/** The sessions remembered; the one seen longest ago is forgotten first. */
const MAX_SESSIONS = 500;

/** Until when this browser has shown each session. Times are ISO 8601 in UTC, as the server sends them. */
export function createLastSeen(storage: PageStorage) {
  const listeners = createListeners();
  /** Null until it is read from the storage. */
  let known: Map<string, string> | null = null;
  const seen = (): Map<string, string> => (known ??= parseSeen(storage.get(NAME)));
  return {
    /** Null for a session that was never shown. */
    lastSeen: (sessionId: string): string | null => seen().get(sessionId) ?? null,
    /** Never goes back to an earlier time. */
    markSeen(sessionId: string, at: string): void {
      const before = seen().get(sessionId);
      if (before !== undefined && before >= at) return;
      // Other tabs may have written since.
      const next = parseSeen(storage.get(NAME));
      next.delete(sessionId);
      next.set(sessionId, at);
      known = new Map([...next].slice(-MAX_SESSIONS));
      storage.set(NAME, JSON.stringify([...known]));
      listeners.notify();
    },
    subscribe: listeners.add,
    /** Reads again what another tab has written. */
    refresh(key: string | null): void {
      if (key !== NAME) return;
      known = null;
      listeners.notify();
    },
  };
}

function parseSeen(stored: string | null): Map<string, string> {
  const value = parseJson(stored);
  if (!Array.isArray(value)) return new Map();
  return new Map(
    value.flatMap((pair: unknown) => {
      const [id, at]: unknown[] = Array.isArray(pair) ? pair : [];
      return typeof id === "string" && typeof at === "string" ? [[id, at] as const] : [];
    }),
  );
}

const page = createLastSeen(pageStorage);
if (typeof addEventListener === "function")
  addEventListener("storage", ({ key }) => page.refresh(key));

export const { lastSeen, markSeen, subscribe: subscribeSeen } = page;
