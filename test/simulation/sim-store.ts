import { StorageFault } from "../../packages/server/src/storage/fault.ts";
import type { Hint } from "../../packages/server/src/storage/ports/node-store.ts";
import type { Store } from "../../packages/server/src/storage/store.ts";
import type { SimDatabase } from "./sim-database.ts";
import type { Owner } from "./timeline.ts";
import { count, latencyMs, unavailable, type World } from "./world.ts";

export interface SimStoreOptions {
  readonly database: SimDatabase;
  readonly owner: Owner;
  readonly clock: () => number;
  /** Sends a hint to the other nodes. */
  readonly tellOthers: (hint: Hint) => void;
  /** The node cannot reach the database. */
  readonly isCutOff: () => boolean;
}

export interface SimStore {
  readonly store: Store;
  /** A hint of another node arrives. */
  hear(hint: Hint): void;
}

type Call = (...args: readonly unknown[]) => Promise<unknown>;

/**
 * The store as one node sees it. Each call reaches the database after a while and its reply comes after another; both may
 * fail. On a shared database a call may be carried out although the node gets an error, or is dead by then.
 */
export function simStore(world: World, options: SimStoreOptions): SimStore {
  const { timeline, random, isShared, plant } = world;
  const { owner, clock, tellOthers, isCutOff } = options;
  const own = options.database.view({ isShared, clock, onHint: tellOthers });
  const real = plant?.store?.(own) ?? own;
  const listeners: ((hint: Hint) => void)[] = [];

  const remote =
    (name: string, call: Call): Call =>
    (...args) =>
      new Promise((resolve, reject) => {
        const reply = (act: () => void): void => void timeline.after(latencyMs(world), act, owner);
        const fail = (error: StorageFault): void => {
          count(world, error.code);
          timeline.note(`${name} fails: ${error.code}`);
          reply(() => reject(error));
        };
        const survives = isShared && random.chance(0.5);
        const fault = world.hasFaults ? random.next() : 1;
        const carryOut = (): void => {
          if (isCutOff()) return fail(unavailable());
          if (fault < 0.006) {
            const passing = new StorageFault("database_busy", "Another process writes.");
            return fail(isShared ? unavailable() : passing);
          }
          void call(...args).then(
            (result) => {
              timeline.note(() => `${name} ${brief(args[0])} -> ${brief(result)}`);
              // Carried out, but nobody knows.
              if (isShared && fault > 0.006 && fault < 0.014) {
                count(world, "unknown outcome");
                return fail(unavailable());
              }
              return reply(() => resolve(result));
            },
            (error: unknown) => reply(() => reject(error)),
          );
        };
        timeline.after(latencyMs(world), carryOut, survives ? null : owner);
      });

  const calls = Object.entries(real).map(([name, value]): [string, unknown] => {
    if (typeof value !== "function") return [name, value];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every method of the store but those below returns a promise
    return [name, remote(name, value as Call)];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same methods, only later
  const later = Object.fromEntries(calls) as unknown as Store;
  return {
    store: {
      ...later,
      onOutsideWrites: (listener) => void listeners.push(listener),
      call: ({ sessionId, node }) => tellOthers({ hint: "wanted", sessionId, node }),
      close: async () => {},
    },
    hear: (hint) => {
      for (const listener of listeners) listener(hint);
    },
  };
}

function brief(value: unknown): string {
  if (value instanceof Map) return `${value.size} entries`;
  const events = namesOfEvents(value);
  if (events !== null) return events;
  const text = JSON.stringify(value) ?? "";
  return text.length > 90 ? `${text.slice(0, 90)}…` : text;
}

/** A commit in short form. */
function namesOfEvents(value: unknown): string | null {
  if (typeof value !== "object" || value === null || !("events" in value)) return null;
  if (!Array.isArray(value.events)) return null;
  return value.events.map((event: { readonly type?: unknown }) => String(event.type)).join(" ");
}
