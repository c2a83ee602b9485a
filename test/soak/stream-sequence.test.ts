import { describe, expect, it } from "vitest";
import { foldMessage, NOTHING_SEEN } from "./message-fold.ts";
import { GlobalSequence, parseBlock, SessionSequence, type Block } from "./stream-sequence.ts";

const delta = (id: number, text: string): Block => ({
  id: String(id),
  name: "delta",
  data: JSON.stringify({ messageId: "m", text }),
});
const message = (id: number, text: string, complete = true): Block => ({
  id: String(id),
  name: "message",
  data: JSON.stringify({ id: "m", role: "agent", content: { text }, complete }),
});

function seen(...blocks: readonly Block[]): SessionSequence {
  const sequence = new SessionSequence();
  for (const block of blocks) sequence.take(block);
  return sequence;
}

describe("what a client of a session sees", () => {
  it("is in order when pieces and the whole message follow each other", () => {
    const sequence = seen(
      message(1, "", false),
      delta(2, "0:10 1:11 "),
      delta(3, "2:12 "),
      message(5, "0:10 1:11 2:12 "),
    );
    const fold = foldMessage(NOTHING_SEEN, { id: "m", content: { text: "0:10 1:11 2:12 " } });
    expect([sequence.endsWith({ lastId: 5, fold }), sequence.violations]).toEqual([true, []]);
  });

  it("brings only new pieces, also with a whole message", () => {
    const sequence = seen(delta(1, "0:10 "));
    expect(sequence.take(message(2, "0:10 1:11 "))).toEqual([{ number: 1, nanoseconds: 11n }]);
  });

  it("has a gap when a piece is missing", () => {
    expect(seen(delta(1, "0:10 "), delta(2, "2:12 ")).violations).toEqual([
      "of message m, piece 2 came in the place of 1",
    ]);
  });

  it("has a repetition when a piece comes again", () => {
    expect(seen(delta(1, "0:10 1:11 "), delta(2, "1:11 ")).violations).toEqual([
      "of message m, piece 1 came in the place of 2",
    ]);
  });

  it("has a repetition when a number comes again", () => {
    expect(seen(delta(4, "0:10 "), delta(4, "1:11 ")).violations).toEqual(["4 came after 4"]);
  });

  it("is wrong when a whole message has less than was shown", () => {
    expect(seen(delta(1, "0:10 1:11 "), message(2, "0:10 ")).violations).toEqual([
      "of message m, 2 pieces became 1",
    ]);
  });

  it("is wrong when a message was never seen, or seen twice", () => {
    const fold = foldMessage(NOTHING_SEEN, { id: "m", content: { text: "0:10 " } });
    const ends = (...blocks: readonly Block[]): boolean =>
      seen(...blocks).endsWith({ lastId: 2, fold });
    expect([
      ends(message(2, "0:10 ")),
      ends(delta(2, "0:10 ")),
      ends(message(1, "0:10 "), message(2, "0:10 ")),
      ends(message(2, "0:11 ")),
    ]).toEqual([true, false, false, false]);
  });
});

describe("what a client of all sessions sees", () => {
  const change = (id: string, name = "session"): Block => ({ id, name, data: "{}" });
  const violations = (...blocks: readonly Block[]): readonly string[] => {
    const sequence = new GlobalSequence();
    for (const block of blocks) sequence.take(block);
    return sequence.violations;
  };

  it("is in order when each position is the next, or it is told to read again", () => {
    expect(
      violations(change("a.3", "reset"), change("a.4"), change("b.9", "reset"), change("b.10")),
    ).toEqual([]);
  });

  it("has a gap or a repetition otherwise", () => {
    expect(violations(change("a.3", "reset"), change("a.5"), change("a.5"))).toEqual([
      "a.5 came after a.3",
      "a.5 came after a.5",
    ]);
  });
});

it("an event is read with its id, and a comment is none", () => {
  expect([
    parseBlock("id: 7\nevent: delta\ndata: {}"),
    parseBlock(": "),
    parseBlock("retry: 1000"),
  ]).toEqual([{ id: "7", name: "delta", data: "{}" }, null, null]);
});
