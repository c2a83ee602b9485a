import { useSyncExternalStore } from "react";
import { createStore } from "../api/store.ts";

/** Archiving is final at the server, so it is only sent when it can no longer be undone here. */
export interface Archiver {
  /** Ids that are as good as archived. */
  hidden(): ReadonlySet<string>;
  subscribe(changed: () => void): () => void;
  /** Returns how to undo it. */
  archive(ids: readonly string[]): () => void;
  /** Sends at once what is still held back. */
  flush(): void;
}

export function createArchiver({
  send,
  onFailure,
  later,
  undoMs,
}: {
  readonly send: (id: string) => Promise<unknown>;
  readonly onFailure: (id: string, error: unknown) => void;
  /** Calls back later; returns how to call that off. */
  readonly later: (ms: number, callback: () => void) => () => void;
  readonly undoMs: number;
}): Archiver {
  const held = new Set<{ readonly ids: readonly string[]; readonly callOff: () => void }>();
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
    hidden: hidden.current,
    subscribe: hidden.subscribe,
    archive: (ids) => {
      const finish = (): void => {
        held.delete(batch);
        for (const id of ids) void sendNow(id);
      };
      const batch = { ids, callOff: later(undoMs, finish) };
      held.add(batch);
      hidden.set(new Set([...hidden.current(), ...ids]));
      return () => {
        if (!held.delete(batch)) return;
        batch.callOff();
        show(ids);
      };
    },
    flush: () => {
      for (const batch of held) {
        batch.callOff();
        for (const id of batch.ids) void sendNow(id);
      }
      held.clear();
    },
  };
}

export function useHidden(archiver: Archiver): ReadonlySet<string> {
  return useSyncExternalStore(archiver.subscribe, archiver.hidden);
}
