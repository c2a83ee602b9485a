import { createStore } from "../api/store.ts";

/** Archiving is final on the server, so the request is sent only after the time to undo has passed. */
export function createArchiver({
  send,
  onFailure,
  later,
  undoMs,
}: {
  readonly send: (id: string) => Promise<unknown>;
  readonly onFailure: (id: string, error: unknown) => void;
  /** Schedules a callback and returns a function that cancels it. */
  readonly later: (ms: number, callback: () => void) => () => void;
  readonly undoMs: number;
}) {
  const pending = new Set<{ readonly ids: readonly string[]; readonly cancel: () => void }>();
  const hidden = createStore<ReadonlySet<string>>(new Set());
  const show = (ids: readonly string[]): void =>
    hidden.set(new Set([...hidden.current()].filter((id) => !ids.includes(id))));

  const sendNow = async (id: string): Promise<void> => {
    try {
      await send(id);
    } catch (error) {
      show([id]);
      onFailure(id, error);
    }
  };

  return {
    /** Sessions that are hidden because they will be archived. */
    hidden,
    /** Returns the undo function. */
    archive: (ids: readonly string[]): (() => void) => {
      const finish = (): void => {
        pending.delete(batch);
        for (const id of ids) void sendNow(id);
      };
      const batch = { ids, cancel: later(undoMs, finish) };
      pending.add(batch);
      hidden.set(new Set([...hidden.current(), ...ids]));
      return () => {
        if (!pending.delete(batch)) return;
        batch.cancel();
        show(ids);
      };
    },
    /** Sends the pending requests now. */
    flush: (): void => {
      for (const batch of pending) {
        batch.cancel();
        for (const id of batch.ids) void sendNow(id);
      }
      pending.clear();
    },
  };
}
