import { parseFeedEvent } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import type { FeedChange } from "../../runtime/feeds/feed.ts";
import { createEventEncoder } from "./event-encoder.ts";
import { message, NOON, queued, run, session, suspension } from "../testing/samples.ts";

const CHANGES: readonly [FeedChange, string][] = [
  [{ type: "message", message: message() }, "message"],
  [{ type: "delta", messageId: "m1", text: "a\nb\r\u2028" }, "delta"],
  [{ type: "run", run: run() }, "run"],
  [{ type: "session", session: session() }, "session"],
  [{ type: "suspension", suspension: suspension() }, "suspension"],
  [{ type: "queue", queue: [queued()] }, "queue"],
  [{ type: "phase", from: "planning", to: "executing", at: NOON }, "phase"],
  [{ type: "deleted", sessionId: "s1" }, "session"],
  [{ type: "reset" }, "reset"],
];

describe("an encoded event", () => {
  it.each(CHANGES.map(([change, name]) => ({ type: change.type, change, name })))(
    "is one frame that matches the protocol, for $type",
    ({ change, name }) => {
      const frame = createEventEncoder()({ position: "41", change }).toString();
      const match = /^id: 41\nevent: (\w+)\ndata: ([^\r\n]+)\n\n$/u.exec(frame);
      expect(match?.[1]).toBe(name);
      expect(parseFeedEvent(name, JSON.parse(match?.[2] ?? ""))).toMatchObject({
        type: change.type,
      });
    },
  );

  it("has an ID only if a reader can continue after it", () => {
    const change: FeedChange = { type: "delta", messageId: "m1", text: "hi" };
    expect(createEventEncoder()({ position: null, change }).toString()).toBe(
      'event: delta\ndata: {"messageId":"m1","text":"hi"}\n\n',
    );
  });

  it("is encoded once for all readers", () => {
    const encode = createEventEncoder();
    const item = { position: "1", change: { type: "reset" } } as const;
    expect(encode(item)).toBe(encode(item));
  });

  it("A3, ruling 19: has `partial: true` for streamed text, and `partial: false` for complete text", () => {
    const encode = createEventEncoder();
    const frame = (complete: boolean): string =>
      encode({
        position: "1",
        change: { type: "message", message: message({ complete }) },
      }).toString();
    expect(frame(false)).toContain('"content":{"type":"text","text":"hello","partial":true}');
    expect(frame(true)).toContain('"content":{"type":"text","text":"hello","partial":false}');
  });
});
