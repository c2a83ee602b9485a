import type { SessionEvent } from "../../packages/server/src/domain/kernel/event.ts";
import type { Json } from "../../packages/server/src/domain/json.ts";
import type { Session } from "../../packages/server/src/domain/session.ts";
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
  /** Agents take messages while they work. */
  readonly steers?: boolean;
}

/** Acknowledges a kind of request without storing it. */
function forgetting(kind: string, isForgotten: (event: SessionEvent) => boolean): Plant {
  return {
    name: `the request to ${kind} is acknowledged and forgotten`,
    breaks: ["one order of the requests explains their replies"],
    isShared: false,
    store: (store) => ({
      ...store,
      commit: async (change) => {
        const { before, events } = change;
        if (before === null || !events.some(isForgotten)) return store.commit(change);
        return { ok: true, stored: before, firstSeq: 0, lastSeq: before.lastSeq, written: null };
      },
    }),
  };
}

const FORGOTTEN: readonly Plant[] = [
  forgetting("send", ({ type }) => type === "message.queued"),
  forgetting(
    "answer",
    (event) => event.type === "suspension.closed" && event.closing.how === "answered",
  ),
  forgetting(
    "cancel",
    (event) =>
      event.type === "run.ended" &&
      event.result.outcome === "cancelled" &&
      event.result.reason === "enough",
  ),
  forgetting("withdraw", ({ type }) => type === "message.withdrawn"),
  forgetting("archive", ({ type }) => type === "session.archived"),
  forgetting("delete", ({ type }) => type === "session.deleted"),
];

function queuedAgain(event: SessionEvent): SessionEvent {
  const isUnknown = event.type === "message.steered" && event.outcome === "unknown";
  return isUnknown ? { ...event, outcome: "queued" } : event;
}

export const PLANTS: readonly Plant[] = [
  ...FORGOTTEN,
  {
    name: "a steered message of an unknown outcome is given again",
    breaks: ["a steered message reaches one agent once, or its unknown outcome is said"],
    isShared: false,
    steers: true,
    store: (store) => ({
      ...store,
      commit: (change) => store.commit({ ...change, events: change.events.map(queuedAgain) }),
    }),
  },
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
          const { lastSeq } = change.before;
          return { ok: true, stored: change.before, firstSeq: 0, lastSeq, written: null };
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
    name: "an old owner may still commit",
    breaks: ["an old owner of a session writes nothing"],
    isShared: true,
    from: 10,
    store: (store) => ({
      ...store,
      commit: ({ fence: _, ...change }) => store.commit(change),
    }),
  },
  {
    name: "an old owner may still append",
    breaks: ["an old owner of a session writes nothing"],
    isShared: true,
    from: 15,
    store: (store) => ({
      ...store,
      append: async (output) => {
        const loaded = await store.load(output.sessionId);
        if (loaded.found !== "session") return store.append(output);
        const { owner, epoch } = loaded.stored;
        return store.append({ ...output, fence: { node: owner ?? "", epoch } });
      },
    }),
  },
  {
    name: "the newest queued message is first",
    breaks: ["messages run in the order of acknowledgement"],
    isShared: false,
    store: (store) =>
      withSessions(store, (session) => ({ ...session, queue: session.queue.toReversed() })),
  },
  {
    name: "a server forgets once that an agent got the message",
    breaks: ["a message that was cut off does not run again"],
    isShared: false,
    from: 39,
    store: (store) => {
      const known = new Set<string>();
      return withSessions(store, (session) => {
        const { id, standing } = session;
        if (standing.status !== "active" || standing.activity.state !== "running") return session;
        if (known.has(id) || !standing.activity.run.handed) return session;
        known.add(id);
        const run = { ...standing.activity.run, handed: false };
        return { ...session, standing: { ...standing, activity: { state: "running", run } } };
      });
    },
  },
  {
    name: "an agent is told the opposite of the answer",
    breaks: ["an agent gets an answer once, and the stored one"],
    isShared: false,
    store: (store) => ({
      ...store,
      readSuspension: async (id) => {
        const suspension = await store.readSuspension(id);
        return suspension === null
          ? null
          : { ...suspension, answer: oppositeOf(suspension.answer) };
      },
    }),
  },
  {
    name: "the end of a run is stored twice",
    breaks: ["a run ends once and writes nothing afterwards"],
    isShared: false,
    store: (store) => ({
      ...store,
      commit: ({ events, ...change }) => {
        const ends = events.filter(({ type }) => type === "run.ended");
        return store.commit({ ...change, events: [...events, ...ends] });
      },
    }),
  },
  {
    name: "a session is changed without an entry in the log",
    breaks: ["the log and the rows agree"],
    isShared: false,
    store: (store) =>
      withSessions(store, (session) => ({ ...session, errorTotal: session.errorTotal + 1 })),
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
    from: 61,
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

/** The store with other sessions than those that it holds. */
function withSessions(store: Store, changed: (session: Session) => Session): Store {
  return {
    ...store,
    load: async (sessionId) => {
      const loaded = await store.load(sessionId);
      if (loaded.found !== "session") return loaded;
      const { stored } = loaded;
      return { ...loaded, stored: { ...stored, session: changed(stored.session) } };
    },
  };
}

function oppositeOf(answer: Json): Json {
  const text = JSON.stringify(answer);
  const other: Json = JSON.parse(
    text.includes(`"yes"`) ? text.replace(`"yes"`, `"no"`) : text.replace(`"no"`, `"yes"`),
  );
  return other;
}
