import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../../domain/message.ts";
import { repeat } from "../../../domain/testing/repeat.ts";
import type { Store } from "../../store.ts";
import type { LogEntry, OutputItem } from "../../ports/transcript-store.ts";
import { opening, textIn, textOf, type Sent, type SessionDriver } from "../session-driver.ts";
import type { SharedStore } from "./shared-store.ts";

const STREAMS = repeat({ short: 10, long: 500 });

/** The log as a client sees it that reads along, disconnects and returns. */
export function streamContract(shared: SharedStore): void {
  describe("a reader of a session's log", () => {
    it("P4 sees every number once and in order while nothing is compacted", async () => {
      const session = await shared.begin();
      const sent = await session.run();
      await session.claim();
      const seen: LogEntry[] = [];
      const follow = async (): Promise<void> => {
        seen.push(...(await session.log(seen.at(-1)?.seq ?? 0)));
      };
      await follow();
      await session.put(sent, opening("follow-1"));
      await follow();
      for (let n = 0; n < 10; n += 1) {
        await session.put(sent, { put: "text", messageId: "follow-1", text: `${n}` });
        await follow();
      }
      await session.perform({ type: "update", changes: { title: "Told" } });
      await session.put(sent, { put: "end", messageId: "follow-1" });
      await follow();
      await session.end(sent);
      await follow();
      expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index + 1));
      expect(seen.at(-1)).toMatchObject({ kind: "event", event: { type: "run.ended" } });
    });

    it("reads the same in pages and at once", async () => {
      const session = await shared.begin();
      for (let n = 0; n < 8; n += 1)
        await session.perform({ type: "update", changes: { title: `${n}` } });
      const parts: LogEntry[] = [];
      for (let turn = 0; turn < 20; turn += 1) {
        const after = parts.at(-1)?.seq ?? 0;
        const part = await shared.store.readEvents({ sessionId: session.id, after, limit: 2 });
        if (part.length === 0) break;
        parts.push(...part);
      }
      expect(parts).toEqual(await session.log());
      expect(parts).toHaveLength(9);
    });

    it("C7 ends with exactly the stored messages, wherever it was cut off and whatever was compacted since", async () => {
      await fc.assert(
        fc.asyncProperty(anyStream(), fc.boolean(), async (steps, endsRun) => {
          const session = await shared.begin();
          const sent = await session.run();
          await session.claim();
          const agent = talkingAgent(session, sent);
          const client = followingClient(shared.store, session.id);
          for (const { said, read } of steps) {
            await agent.say(said);
            await client.read(read);
          }
          if (endsRun) await session.end(sent);
          await client.read("all");
          expect(client.messages()).toEqual(await session.messages());
        }),
        { numRuns: STREAMS, endOnFailure: true },
      );
    });
  });
}

type Said = "opens" | "says" | "replaces" | "ends" | "whole";
/** `some` stops after one entry. `anew` is a client that has lost its state. */
type Read = "nothing" | "some" | "all" | "anew";

function anyStream() {
  const said = fc.constantFrom<Said>("opens", "says", "says", "says", "replaces", "ends", "whole");
  const read = fc.constantFrom<Read>("nothing", "nothing", "some", "some", "all", "anew");
  const step = fc.record({ said: fc.array(fc.tuple(said, fc.nat(9)), { maxLength: 4 }), read });
  return fc.array(step, { maxLength: 12, size: "max" });
}

function talkingAgent(session: SessionDriver, sent: Sent) {
  const growing: string[] = [];
  let said = 0;

  function itemOf(word: Said, choice: number): OutputItem {
    said += 1;
    const id = `${session.id}-${said}`;
    const at = choice % Math.max(growing.length, 1);
    const messageId = growing[at];
    if (word === "whole")
      return {
        put: "message",
        message: { id, role: "agent", content: textOf(id) },
        complete: true,
      };
    if (word === "opens" || messageId === undefined) {
      growing.push(id);
      return opening(id, choice % 2 === 0 ? "" : "So: ");
    }
    if (word === "says") return { put: "text", messageId, text: `${said} ` };
    const ends = word === "ends" || choice > 7;
    if (ends) growing.splice(at, 1);
    if (word === "ends") return { put: "end", messageId };
    return { put: "content", messageId, content: textOf(`anew ${said} `), complete: ends };
  }

  return {
    say: async (words: readonly (readonly [Said, number])[]): Promise<void> => {
      const items = words.map(([word, choice]) => itemOf(word, choice));
      const appended = await session.put(sent, ...items);
      if (!appended.ok) throw new Error(`what it said was refused: ${appended.refused}`);
    },
  };
}

/** A client's copy of the messages. A message entry replaces a message, a delta appends to it. */
function followingClient(store: Store, sessionId: string) {
  let known = new Map<string, Message>();
  let lastSeq = 0;

  async function read(how: Read): Promise<void> {
    if (how === "nothing") return;
    if (how === "anew") [known, lastSeq] = [new Map(), 0];
    const entries = await store.readEvents({
      sessionId,
      after: lastSeq,
      limit: how === "some" ? 1 : 1000,
    });
    for (const entry of entries) {
      expect(entry.seq).toBeGreaterThan(lastSeq);
      lastSeq = entry.seq;
      apply(entry);
    }
  }

  function apply(entry: LogEntry): void {
    if (entry.kind === "message") known.set(entry.message.id, entry.message);
    if (entry.kind !== "delta") return;
    const message = known.get(entry.messageId);
    if (message === undefined)
      throw new Error(`text for ${entry.messageId}, which nobody has heard of`);
    const text = textIn(message.content) + entry.text;
    known.set(message.id, { ...message, content: { ...message.content, text } });
  }

  return {
    read,
    messages: () => [...known.values()].toSorted((left, right) => left.seq - right.seq),
  };
}
