import type { Store } from "../../packages/server/src/storage/store.ts";
import type { Law } from "./laws.ts";

/** A bug that is planted in front of the runtime, to see that a law notices it. */
export interface Plant {
  readonly name: string;
  /** The laws of which at least one must notice it. */
  readonly breaks: readonly Law[];
  readonly isShared: boolean;
  /** A seed that shows it soon, if most do not. */
  readonly from?: number;
  readonly store?: (store: Store) => Store;
  readonly repeatsPrompts?: boolean;
}

export const PLANTS: readonly Plant[] = [
  {
    name: "a message is acknowledged and not stored",
    breaks: ["every acknowledged message exists once"],
    isShared: false,
    store: (store) => {
      let sends = 0;
      return {
        ...store,
        commit: async (change) => {
          const isSend = change.events.some(({ type }) => type === "message.queued");
          if (!isSend || (sends += 1) % 3 !== 0 || change.before === null)
            return store.commit(change);
          return { ok: true, stored: change.before, firstSeq: 0, lastSeq: change.before.lastSeq };
        },
      };
    },
  },
  {
    name: "a repeated request is not recognised",
    breaks: ["every acknowledged message exists once"],
    isShared: true,
    store: (store) => ({
      ...store,
      recall: async () => null,
      commit: ({ remember: _, ...change }) => store.commit(change),
    }),
  },
  {
    name: "an agent gets its message twice",
    breaks: ["an agent gets a message at most once per recorded attempt"],
    isShared: false,
    repeatsPrompts: true,
  },
  {
    name: "a session is claimed although its owner lives",
    breaks: ["one agent at a time works on a session"],
    isShared: true,
    store: (store) => ({
      ...store,
      claim: async (claim) => {
        const owner = await store.ownerOf(claim.sessionId);
        const loaded = await store.load(claim.sessionId);
        if (owner !== null && loaded.found === "session") {
          const { sessionId } = claim;
          await store.release({ sessionId, node: owner.node, epoch: loaded.stored.epoch });
        }
        return store.claim(claim);
      },
      listNodes: async () => (await store.listNodes()).map((node) => ({ ...node, alive: false })),
      abandonedSessions: async () =>
        (await store.listSessions({ limit: 20 })).sessions.map(({ id }) => id),
    }),
  },
  {
    name: "nobody looks for the sessions of a dead process",
    breaks: ["everything settles"],
    isShared: false,
    store: (store) => ({ ...store, unsettledSessions: async () => [] }),
  },
  {
    name: "a write of unknown outcome is simply repeated",
    breaks: ["what an agent said is stored once and in order"],
    isShared: true,
    from: 171,
    store: (store) => ({
      ...store,
      append: ({ wasTried: _, after: __, ...output }) => store.append(output),
    }),
  },
  {
    name: "a feed leaves out an entry of the log",
    breaks: ["feeds have no gap and no repetition"],
    isShared: false,
    store: (store) => ({
      ...store,
      readEvents: async (query) =>
        (await store.readEvents(query)).filter(
          ({ kind, seq }) => kind !== "message" || seq % 5 !== 0,
        ),
    }),
  },
];
