import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanJson, cleanText, MAX_JSON_DEPTH } from "../../../domain/clean-text.ts";
import type { Json, JsonObject } from "../../../domain/json.ts";
import { growingText, opening, textIn, textOf } from "../session-driver.ts";
import type { SharedStore } from "./shared-store.ts";
import { repeat } from "../../../domain/testing/repeat.ts";

/** Text and JSON are returned unchanged by both databases. */
export function textContract(shared: SharedStore): void {
  describe("valid text", () => {
    it("is returned unchanged from every column", async () => {
      for (const nasty of NASTY) {
        const text = cleanText(nasty);
        const session = await shared.begin({
          title: text,
          purpose: text,
          agentName: text,
          provider: text,
          model: text,
          metadata: { [`key ${text}`]: text },
        });
        const sent = await session.run(text);
        await session.claim();
        const id = `agent-${session.id}`;
        await session.put(sent, opening(id, text), { put: "text", messageId: id, text });
        const growing = await session.messages();
        await session.put(
          sent,
          { put: "text", messageId: id, text: "." },
          { put: "end", messageId: id },
        );
        const suspension = await session.suspend(sent, {
          request: { ask: text },
          fingerprint: text,
        });
        await session.send(text);
        await session.perform({ type: "update", changes: {}, error: { id: "e", text } });

        const { session: stored } = await session.stored();
        expect(stored).toMatchObject({
          title: text,
          purpose: text,
          agentName: text,
          provider: text,
          model: text,
        });
        expect(stored.metadata).toEqual({ [`key ${text}`]: text });
        expect(stored.lastError).toEqual({ id: "e", text, at: session.now });
        expect(growing.map(({ content }) => content)).toEqual([
          textOf(text),
          growingText(text + text),
        ]);
        expect((await session.messages()).map(({ content }) => content)).toEqual([
          textOf(text),
          textOf(`${text}${text}.`),
        ]);
        expect(await shared.store.readQueue(session.id)).toMatchObject([{ content: textOf(text) }]);
        expect(await shared.store.readSuspension(suspension.id)).toMatchObject(suspension);
        const { sessions } = await shared.store.listSessions({ agentName: text, limit: 10 });
        expect(sessions.map(({ title }) => title)).toEqual([text]);
      }
    });

    it("is returned unchanged, whatever its characters", async () => {
      const session = await shared.begin();
      await fc.assert(
        fc.asyncProperty(
          fc.string({ unit: "binary", maxLength: 60 }),
          fc.jsonValue({ maxDepth: 3 }),
          async (text, value) => {
            const cleaned = cleanJson(value);
            if (!cleaned.ok) throw new Error(cleaned.refused);
            const title = cleanText(text);
            const metadata = { changed: throughJson(cleaned.value) };
            await session.perform({ type: "update", changes: { title, metadata } });
            const { session: stored } = await session.stored();
            expect({ title: stored.title, metadata: stored.metadata }).toEqual({ title, metadata });
          },
        ),
        { numRuns: repeat({ short: 10, long: 100 }) },
      );
    });
  });

  describe("JSON", () => {
    it("keeps the order of its keys, in metadata and in messages", async () => {
      const ordered: JsonObject = {
        zebra: 1,
        apple: { y: [], x: {} },
        "": null,
        mango: [{ b: 1, a: 2 }],
      };
      const session = await shared.begin({ metadata: ordered });
      const sent = await session.run();
      await session.claim();
      const content = { type: "tool", ...ordered };
      await session.put(sent, {
        put: "message",
        message: { id: `o-${session.id}`, role: "agent", content },
        complete: true,
      });
      const { metadata } = (await session.stored()).session;
      expect(JSON.stringify(metadata)).toBe(JSON.stringify(ordered));
      expect(JSON.stringify((await session.messages()).at(-1)?.content)).toBe(
        JSON.stringify(content),
      );
      await session.perform({ type: "update", changes: { metadata: { first: true, apple: 2 } } });
      expect(Object.keys((await session.stored()).session.metadata)).toEqual([
        "zebra",
        "apple",
        "",
        "mango",
        "first",
      ]);
    });

    it("keeps names with a meaning in JavaScript, and numbers exactly", async () => {
      const metadata = JSON.parse(
        `{"__proto__":{"x":1},"constructor":"c","toString":0,"small":5e-324,"large":1.7976931348623157e308,"exact":9007199254740991,"pi":3.141592653589793}`,
      ) as JsonObject;
      const session = await shared.begin({ metadata });
      expect(JSON.stringify((await session.stored()).session.metadata)).toBe(
        JSON.stringify(metadata),
      );
    });

    it("may be nested as deep as the API allows", async () => {
      let deep: Json = "bottom";
      for (let level = 1; level < MAX_JSON_DEPTH; level += 1)
        deep = level % 2 === 0 ? [deep] : { deep };
      const metadata = { deep };
      expect(cleanJson(metadata).ok).toBe(true);
      const session = await shared.begin({ metadata });
      const content = { type: "tool", deep };
      const sent = await session.run();
      await session.claim();
      await session.put(sent, {
        put: "message",
        message: { id: `d-${session.id}`, role: "agent", content },
        complete: true,
      });
      expect((await session.stored()).session.metadata).toEqual(metadata);
      expect((await session.messages()).at(-1)?.content).toEqual(content);
    });

    it("P6 may be a message of 1 MiB, sent, queued or streamed", async () => {
      const session = await shared.begin();
      const huge = "0123456789abcde\n".repeat(65_536);
      const sent = await session.run(huge);
      await session.claim();
      const id = `huge-${session.id}`;
      await session.put(sent, opening(id));
      for (let start = 0; start < huge.length; start += 262_144) {
        await session.put(sent, {
          put: "text",
          messageId: id,
          text: huge.slice(start, start + 262_144),
        });
      }
      await session.send(huge);
      const lengths = async () =>
        (await session.messages()).map(({ content }) => textIn(content).length);
      expect(await lengths()).toEqual([1_048_576, 1_048_576]);
      await session.put(sent, { put: "end", messageId: id });
      expect((await session.messages()).map(({ content }) => content["text"] === huge)).toEqual([
        true,
        true,
      ]);
      expect(
        (await shared.store.readQueue(session.id)).map(({ content }) => content["text"] === huge),
      ).toEqual([true]);
    });
  });
}

const NASTY: readonly string[] = [
  "👩‍👩‍👧‍👦 🏳️‍🌈 🎉",
  "half \uD83D of a pair, \uDE00 the other",
  "a\0b\0",
  "\u0001\u0008\u001B[31m\u007F\u0085",
  "line\r\nbreaks\u2028\u2029\u000B\u000C",
  "\uFEFFbyte order\uFFFE\uFFFF",
  "ä a\u0308 Å\u212B ﬃ",
  "مرحبا \u202Eright to left\u202C",
  `'; drop table "AgentSession"; -- \\ \\u0000 \\' $1 $$ ? :x @x #{x} %s`,
  `{"type":"text"} [1,2] null true 1e999`,
  " \t leading and trailing \u00A0\u3000 ",
  "𠮷野家 東京 हिन्दी ไทย 𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
];

function throughJson(value: Json): Json {
  const parsed: Json = JSON.parse(JSON.stringify(value));
  return parsed;
}
