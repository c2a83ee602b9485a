import type { Store } from "../../packages/server/src/storage/store.ts";

/** Reads that depend only on what was written: neither on the clock nor on the leases. */
const KEPT = [
  "load",
  "openSuspensions",
  "readEvents",
  "readMessage",
  "readMessages",
  "readQueue",
  "readRepo",
  "readRun",
  "readRuns",
  "readSession",
  "readSuspension",
  "readSuspensions",
  "recall",
] as const satisfies readonly (keyof Store)[];

type Read = (...args: readonly unknown[]) => Promise<unknown>;

/** Repeats no read while nothing was written since: the workers and feeds of all nodes read the same after each write. */
export class ReadMemory {
  readonly #results = new Map<string, Promise<unknown>>();

  /** The store, with reads that are kept. */
  over(store: Store): Store {
    const kept = KEPT.map((name) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the arguments are only passed on
      const read = store[name] as Read;
      return [name, this.#keep(name, read)];
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same methods
    return { ...store, ...(Object.fromEntries(kept) as Partial<Store>) };
  }

  forget(): void {
    this.#results.clear();
  }

  #keep(name: string, read: Read): Read {
    return (...args) => {
      const key = `${name} ${JSON.stringify(args)}`;
      const known = this.#results.get(key);
      if (known !== undefined) return known;
      const result = read(...args);
      this.#results.set(key, result);
      return result;
    };
  }
}
