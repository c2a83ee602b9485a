import { StorageFault } from "../../packages/server/src/storage/fault.ts";
import type {
  Change,
  Fence,
  Hint,
  Output,
  Store,
} from "../../packages/server/src/storage/store.ts";
import type { SimDatabase } from "./sim-database.ts";
import type { Owner } from "./timeline.ts";
import { count, latencyMs, unavailable, type HangingWrite, type World } from "./world.ts";

export interface SimStoreOptions {
  readonly database: SimDatabase;
  readonly owner: Owner;
  readonly clock: () => number;
  /** Sends a hint to the other nodes. */
  readonly tellOthers: (hint: Hint) => void;
  /** The node cannot reach the database. */
  readonly isCutOff: () => boolean;
  /** A call of the node is on its way for longer than a lease. */
  readonly onHang: () => void;
  /** The node stops for longer than a lease before it gets the reply to a write. */
  readonly onStall: () => void;
}

export interface SimStore {
  readonly store: Store;
  /** A hint of another node arrives. */
  hear(hint: Hint): void;
}

/** How long a write that hangs is on its way, unless another node claims its session: it then arrives soon after. */
const HANG_MS = { least: 5_500, more: 5_000 };
/** How often a write hangs that an old owner could do harm with. */
const HANG_CHANCES: ReadonlyMap<string, number> = new Map([
  ["append", 0.08],
  ["claim", 0.02],
  ["commit", 0.02],
  ["release", 0.02],
]);

const STALL_CHANCE = 0.015;
/** How often the outcome of a call is unknown. Output is stored seldom, and must not be stored twice. */
const UNKNOWN_CHANCE = { append: 0.05, other: 0.008 };

type Call = (...args: readonly unknown[]) => Promise<unknown>;

/**
 * The store as one node sees it. Each call reaches the database after a while and its reply comes after another; both may
 * fail. On a shared database a call may be carried out although the node gets an error, or is dead by then. Some writes hang
 * in the network until another node may own the session.
 */
export function simStore(world: World, options: SimStoreOptions): SimStore {
  const { timeline, random, isShared, plant } = world;
  const { database, owner, clock, tellOthers, isCutOff, onHang, onStall } = options;
  const own = recordCommits(world, database.view({ isShared, clock, onHint: tellOthers }));
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
        const unknown = name === "append" ? UNKNOWN_CHANCE.append : UNKNOWN_CHANCE.other;
        const hangs = isShared && world.hasFaults && random.chance(HANG_CHANCES.get(name) ?? 0);
        const carryOut = (): void => {
          if (!hangs && isCutOff()) return fail(unavailable());
          if (!hangs && fault < 0.006) {
            const passing = new StorageFault("database_busy", "Another process writes.");
            return fail(isShared ? unavailable() : passing);
          }
          void call(...args).then(
            (result) => {
              timeline.note(() => `${name} ${brief(args[0])} -> ${brief(result)}`);
              noteOldOwner(world, database, args[0], result);
              if (name === "claim" && isStored(result)) letArrive(world, sessionIn(args[0]));
              if (isShared && world.hasFaults && isFenced(args[0]) && random.chance(STALL_CHANCE))
                onStall();
              // Carried out, but nobody knows.
              if (isShared && fault > 0.006 && fault < 0.006 + unknown) {
                count(world, "unknown outcome");
                return fail(unavailable());
              }
              return reply(() => resolve(result));
            },
            (error: unknown) => reply(() => reject(error)),
          );
        };
        if (!hangs) return timeline.after(latencyMs(world), carryOut, survives ? null : owner);
        count(world, "hanging write");
        timeline.note(`${name} hangs`);
        const hanging: HangingWrite = {
          sessionId: sessionIn(args[0]),
          arrive: () => {
            if (world.hanging.delete(hanging)) carryOut();
          },
        };
        world.hanging.add(hanging);
        onHang();
        return timeline.after(HANG_MS.least + random.below(HANG_MS.more), hanging.arrive, null);
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
      recordOf: real.recordOf,
      onOutsideWrites: (listener) => void listeners.push(listener),
      call: ({ sessionId, node }) => tellOthers({ hint: "wanted", sessionId, node }),
      close: async () => {},
    },
    hear: (hint) => {
      for (const listener of listeners) listener(hint);
    },
  };
}

/** Keeps a write that was stored although its fence was old. One that is tried again may have been stored in time. */
function noteOldOwner(world: World, database: SimDatabase, write: unknown, result: unknown): void {
  if (!isStored(result) || !isFenced(write) || write.wasTried === true) return;
  const { fence } = write;
  const sessionId = sessionIn(write);
  const lock = database.ownerOf(sessionId);
  if (lock === null || (lock.owner === fence.node && lock.epoch === fence.epoch)) return;
  const now = `${lock.owner ?? "nobody"} in epoch ${lock.epoch}`;
  const detail = `${fence.node} wrote in epoch ${fence.epoch}, and the owner is ${now}`;
  world.oldOwners.push({ sessionId, detail });
}

/** Writes that hang arrive when they could do the most harm: another node has just claimed their session. */
function letArrive(world: World, sessionId: string): void {
  for (const hanging of world.hanging) {
    if (hanging.sessionId === sessionId)
      world.timeline.after(latencyMs(world), hanging.arrive, null);
  }
}

type Fenced = (Output | Change) & { readonly fence: Fence };

function isFenced(value: unknown): value is Fenced {
  return typeof value === "object" && value !== null && "fence" in value && Boolean(value.fence);
}

/** The session that a write changes; empty if it creates one. */
function sessionIn(write: unknown): string {
  if (typeof write !== "object" || write === null) return "";
  if ("sessionId" in write) return String(write.sessionId);
  return (write as Partial<Change>).before?.session.id ?? "";
}

function isStored(result: unknown): boolean {
  return typeof result === "object" && result !== null && "ok" in result && result.ok === true;
}

/** Notes when the database carried out a change, whoever learns of it. A repeated one is carried out once. */
function recordCommits({ commits, timeline }: World, store: Store): Store {
  return {
    ...store,
    commit: async (change) => {
      const committed = await store.commit(change);
      if (!committed.ok) return committed;
      const { before, events, contents = {} } = change;
      const { stored } = committed;
      const sessionId = (stored ?? before)?.session.id ?? "";
      const version = stored?.version ?? null;
      const isKnown = commits.some(
        (each) => each.sessionId === sessionId && each.version === version,
      );
      if (!isKnown) commits.push({ at: timeline.now, sessionId, version, events, contents });
      return committed;
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
