import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { repeat } from "../../domain/testing/repeat.ts";
import type { OutputItem, Store } from "../../storage/store.ts";
import { beginSession, type SessionDriver } from "../../storage/testing/session-driver.ts";
import { openTestStore, type TestStore } from "../../storage/testing/test-database.ts";
import { createSessionFeeds, MEMORY, type FeedMemory } from "./session-feeds.ts";
import { FeedClient, recordOf } from "../testing/feed-client.ts";

let test: TestStore;

beforeEach(async () => {
  test = await openTestStore("sqlite");
  await test.store.addRepo({ id: "repo-1", path: "/repo", name: "repo", createdAt: 0 });
});
afterEach(() => test.close());

const ACTS = [
  /** The agent says a word; readers hear of it as the runtime tells it, or by a mere touch. */
  "say",
  "say untold",
  "send",
  "end",
  "note",
  /** The restless reader breaks off and comes back, with what it has, with what a read shows, or with nothing. */
  "cut",
  "load",
  "begin anew",
  /** It takes so many things and no more. */
  "take 1",
  "take 3",
  "take 6",
  "take all",
  /** Resolves when the current reads are finished. */
  "wait",
] as const;
type Act = (typeof ACTS)[number];

/** Agents talk more than anything else happens. */
const anyAct = fc.oneof(
  { weight: 5, arbitrary: fc.constant("say" as const) },
  { weight: 2, arbitrary: fc.constantFrom("send" as const, "note" as const) },
  { weight: 6, arbitrary: fc.constantFrom(...ACTS) },
);
const anyActs = fc.array(anyAct, { minLength: 5, maxLength: 60 });
/** The smallest possible memory, so that readers fall behind and pages end anywhere. */
const anyMemory: fc.Arbitrary<FeedMemory> = fc.record({
  steps: fc.constantFrom(1, 3, 5, 8, MEMORY.steps),
  size: fc.constant(MEMORY.size),
  perRead: fc.constantFrom(1, 2, 3, MEMORY.perRead),
});

/** Caught up from the store, where the message had moved to its end, and then got older text of it from memory. */
const FOUND: Act[] = [
  ...(["take 1", "send", "cut", "send", "say untold", "send", "say untold", "end"] as const),
  ...(["take 1", "say untold", "say untold", "say untold"] as const),
];

/** Was read as having nothing more, and was then given what is in memory after much had been forgotten there. */
const FORGOTTEN: Act[] = ["say", "send", "cut", "say", "say"];

const NUM_RUNS = repeat({ short: 80, long: 5_000 });

describe("a reader of a session's feed that breaks off, pauses and comes back anywhere", () => {
  it("is sent no text for a message that was not sent, and ends with what a read shows (C7, P4)", async () => {
    await fc.assert(
      fc.asyncProperty(
        anyActs,
        anyMemory,
        fc.boolean(),
        fc.boolean(),
        (acts, memory, hasOther, tellsCommits) => live({ acts, memory, hasOther, tellsCommits }),
      ),
      {
        numRuns: NUM_RUNS,
        examples: [
          [FOUND, MEMORY, false, false],
          [FORGOTTEN, { ...MEMORY, steps: 1 }, false, false],
        ],
      },
    );
  });

  it("is sent none wherever in the store it was when it broke off (C7)", async () => {
    const memory = { ...MEMORY, steps: 8, perRead: 1 };
    const turn: Act[] = ["send", "say", "send", "say", "end", "send", "say"];
    for (let taken = 0; taken < 20; taken += 1) {
      const takes = Array.from({ length: taken }, (): Act[] => ["take 1", "wait"]).flat();
      const acts: Act[] = [...turn, "take 1", "begin anew", ...takes, "cut", "take all", "wait"];
      await live({ acts, memory, hasOther: true });
    }
  });
});

async function live({
  acts,
  memory,
  hasOther,
  tellsCommits = false,
}: {
  readonly acts: readonly Act[];
  readonly memory: FeedMemory;
  /** One that takes everything at once, so that what it has seen is in memory. */
  readonly hasOther: boolean;
  /** Commits go on to the feeds as the runtime passes them on, not by a mere touch. */
  readonly tellsCommits?: boolean;
}): Promise<void> {
  const failures: unknown[] = [];
  const feeds = createSessionFeeds(test.store, { memory, onFailure: (e) => failures.push(e) });
  const commit: Store["commit"] = async (change) => {
    const committed = await test.store.commit(change);
    if (!tellsCommits || !committed.ok || committed.stored === null) return committed;
    const { stored, written, firstSeq } = committed;
    const snapshot = test.store.recordOf(stored);
    if (written !== null)
      feeds.addCommit(stored.session.id, firstSeq, { written, session: snapshot });
    return committed;
  };
  const session = await beginSession({ ...test.store, commit }, { repoId: "repo-1" });
  const newClient = (): FeedClient =>
    new FeedClient({ store: test.store, feeds, sessionId: session.id });
  const other = hasOther ? newClient() : null;
  await other?.connect();
  let reader = newClient();
  await reader.connect();
  await session.claim();
  const agent = talkingAgent(session);
  const orphans: string[] = [];

  const replaceReader = async ({ load }: { load: boolean }): Promise<void> => {
    reader.disconnect();
    orphans.push(...reader.orphans);
    const { allowance } = reader;
    reader = newClient();
    reader.allow(allowance);
    if (load) await reader.load();
    await reader.connect();
  };

  for (const act of acts) {
    switch (act) {
      case "say": {
        const told = await agent.say();
        if (told !== null) feeds.add(session.id, told);
        continue;
      }
      case "say untold":
        await agent.say();
        break;
      case "send":
        await agent.send();
        break;
      case "end":
        await agent.end();
        break;
      case "note":
        await session.perform({ type: "update", changes: { metadata: { n: session.now } } });
        break;
      case "cut":
        reader.disconnect();
        await reader.connect();
        break;
      case "load":
      case "begin anew":
        await replaceReader({ load: act === "load" });
        break;
      case "take 1":
      case "take 3":
      case "take 6":
        reader.allow(Number(act.slice(-1)));
        break;
      case "take all":
        reader.allow(Infinity);
        break;
      case "wait":
        await settled();
        break;
      default:
        act satisfies never;
    }
    feeds.touch(session.id);
  }
  await session.perform({ type: "update", changes: { title: "done" } });
  feeds.touch(session.id);
  // One that was dropped comes back, as clients do.
  if (reader.ends.length > 0) {
    reader.disconnect();
    await reader.connect();
  }
  reader.allow(Infinity);
  const shown = await recordOf(test.store, session.id);
  const isBehind = ({ after }: FeedClient): boolean => after < shown.lastSeq;
  while (isBehind(reader) || (other !== null && isBehind(other))) await settled();
  const queue = await test.store.readQueue(session.id);
  const messages = await session.messages();
  const runs = await test.store.readRuns(session.id);
  await feeds.stop();
  expect(failures).toEqual([]);
  for (const client of other === null ? [reader] : [reader, other]) {
    expect([...orphans, ...client.orphans]).toEqual([]);
    expect([client.session, client.transcript]).toEqual([shown, messages]);
    const { positions } = client;
    expect(positions).toEqual([...new Set(positions)].toSorted((a, b) => a - b));
  }
  if (other === null) return;
  expect(other.state).toEqual({
    session: shown,
    queue,
    messages,
    runs: runs.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  });
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2));

/** Says words, each in the run that is on; what is sent meanwhile follows when that has ended. */
function talkingAgent(session: SessionDriver) {
  let sent: Awaited<ReturnType<SessionDriver["run"]>> | null = null;
  let messageId: string | null = null;
  return {
    async send() {
      if (sent === null) sent = await session.run();
      else await session.send("later", { delivery: "queue" });
    },
    async say() {
      if (sent === null) return null;
      const items: OutputItem[] = [];
      if (messageId === null) {
        messageId = `said-${sent.runId}`;
        const message = { id: messageId, role: "agent" as const, content: text("") };
        items.push({ put: "message", message, complete: false });
      }
      items.push({ put: "text", messageId, text: "word " });
      const stored = await session.put(sent, ...items);
      if (!stored.ok) throw new Error(`refused: ${stored.refused}`);
      return { ...stored, runId: sent.runId, items };
    },
    async end() {
      if (sent === null) return;
      await session.end(sent);
      [sent, messageId] = [null, null];
      const [next] = await test.store.readQueue(session.id);
      if (next === undefined) return;
      const start = { provider: "demo", model: null, handed: true };
      await session.perform({ type: "start-run", runId: next.runId, start });
      sent = { messageId: next.messageId, runId: next.runId };
    },
  };
}

const text = (words: string) => ({ type: "text", text: words });
