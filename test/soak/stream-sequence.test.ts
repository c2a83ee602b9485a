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

function sequenceOf(...blocks: readonly Block[]): SessionSequence {
  const sequence = new SessionSequence();
  for (const block of blocks) sequence.take(block);
  return sequence;
}

describe("the events of a session's client", () => {
  it("are valid if pieces and the complete message follow each other", () => {
    const sequence = sequenceOf(
      message(1, "", false),
      delta(2, "0:10 1:11 "),
      delta(3, "2:12 "),
      message(5, "0:10 1:11 2:12 "),
    );
    const fold = foldMessage(NOTHING_SEEN, { id: "m", content: { text: "0:10 1:11 2:12 " } });
    expect([sequence.endsWith({ lastId: 5, fold }), sequence.violations]).toEqual([true, []]);
  });

  it("contain only new pieces, even with a complete message", () => {
    const sequence = sequenceOf(delta(1, "0:10 "));
    expect(sequence.take(message(2, "0:10 1:11 "))).toEqual([{ number: 1, nanoseconds: 11n }]);
  });

  it("have a gap if a piece is missing", () => {
    expect(sequenceOf(delta(1, "0:10 "), delta(2, "2:12 ")).violations).toEqual([
      "message m: got piece 2 instead of 1",
    ]);
  });

  it("have a repetition if a piece is repeated", () => {
    expect(sequenceOf(delta(1, "0:10 1:11 "), delta(2, "1:11 ")).violations).toEqual([
      "message m: got piece 1 instead of 2",
    ]);
  });

  it("have a repetition if a sequence number is repeated", () => {
    expect(sequenceOf(delta(4, "0:10 "), delta(4, "1:11 ")).violations).toEqual(["4 came after 4"]);
  });

  it("are invalid if a complete message has less text than was shown", () => {
    expect(sequenceOf(delta(1, "0:10 1:11 "), message(2, "0:10 ")).violations).toEqual([
      "message m: 2 pieces became 1",
    ]);
  });

  it("are invalid if a message is missing or repeated", () => {
    const fold = foldMessage(NOTHING_SEEN, { id: "m", content: { text: "0:10 " } });
    const ends = (...blocks: readonly Block[]): boolean =>
      sequenceOf(...blocks).endsWith({ lastId: 2, fold });
    expect([
      ends(message(2, "0:10 ")),
      ends(delta(2, "0:10 ")),
      ends(message(1, "0:10 "), message(2, "0:10 ")),
      ends(message(2, "0:11 ")),
    ]).toEqual([true, false, false, false]);
  });
});

describe("the events of a client of all sessions", () => {
  const change = (id: string, name = "session"): Block => ({ id, name, data: "{}" });
  const violations = (...blocks: readonly Block[]): readonly string[] => {
    const sequence = new GlobalSequence();
    for (const block of blocks) sequence.take(block);
    return sequence.violations;
  };

  it("are valid if each position follows the previous one, or after a reset", () => {
    expect(
      violations(change("a.3", "reset"), change("a.4"), change("b.9", "reset"), change("b.10")),
    ).toEqual([]);
  });

  it("have a gap or a repetition otherwise", () => {
    expect(violations(change("a.3", "reset"), change("a.5"), change("a.5"))).toEqual([
      "a.5 came after a.3",
      "a.5 came after a.5",
    ]);
  });
});

it("an event is parsed with its ID, and a comment is not an event", () => {
  expect([
    parseBlock("id: 7\nevent: delta\ndata: {}"),
    parseBlock(": "),
    parseBlock("retry: 1000"),
  ]).toEqual([{ id: "7", name: "delta", data: "{}" }, null, null]);
});
