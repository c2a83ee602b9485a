import { createKeyedListeners } from "../../api/store.ts";
import type { Now } from "../../transcript/now/now.ts";

/** What the agent of a running session does. */
export interface Step {
  /** Null before it has done anything for the last message. */
  readonly now: Now;
  /** When the run began. */
  readonly since: string;
  /** Whether the agent has the message. */
  readonly isHanded: boolean;
  /** The turn after which the run was read. */
  readonly turnAt: string;
}

/** A session whose step is shown. */
export interface Watched {
  readonly id: string;
  /** Changes when a run begins, among others. */
  readonly turnAt: string;
}

interface Entry {
  readonly session: Watched;
  readonly step: Step | null;
  readonly readAt: number;
  readonly isReading: boolean;
}

const EVERY_MS = 3_000;
const AT_ONCE = 3;

/** The steps of the sessions on the screen, each read every few seconds, a few at a time, and none while the page is hidden. */
export function createSteps({
  read,
  isHidden,
}: {
  readonly read: (session: Watched, before: Step | null) => Promise<Step>;
  readonly isHidden: () => boolean;
}) {
  const listeners = createKeyedListeners();
  const entries = new Map<string, Entry>();
  let reading = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const start = async ({ session, step }: Entry): Promise<void> => {
    const { id } = session;
    reading += 1;
    update(id, { isReading: true, readAt: Date.now() });
    const next = await read(session, step).catch(() => step);
    reading -= 1;
    update(id, { isReading: false, step: next });
    listeners.notify(id);
    pump();
  };
  const update = (id: string, changes: Partial<Entry>): void => {
    const entry = entries.get(id);
    if (entry !== undefined) entries.set(id, { ...entry, ...changes });
  };
  const pump = (): void => {
    clearTimeout(timer);
    if (isHidden()) return;
    const waiting = [...entries.values()]
      .filter(({ isReading }) => !isReading)
      .toSorted((one, other) => one.readAt - other.readAt);
    const due = waiting.filter(({ readAt }) => readAt + EVERY_MS <= Date.now());
    for (const entry of due.slice(0, AT_ONCE - reading)) void start(entry);
    // The end of a read starts the next one.
    const [next] = waiting.filter((entry) => !due.includes(entry));
    if (next !== undefined) timer = setTimeout(pump, next.readAt + EVERY_MS - Date.now());
  };

  return {
    of: (id: string): Step | null => entries.get(id)?.step ?? null,
    subscribe: listeners.add,
    /** Reads the steps of these sessions only, from now on. */
    watch: (sessions: readonly Watched[]): void => {
      const ids = new Set(sessions.map(({ id }) => id));
      for (const id of entries.keys()) if (!ids.has(id)) entries.delete(id);
      for (const session of sessions) {
        const before = entries.get(session.id) ?? { step: null, readAt: 0, isReading: false };
        entries.set(session.id, { ...before, session });
      }
      pump();
    },
    /** The page is visible again, or hidden. */
    wake: pump,
  };
}
