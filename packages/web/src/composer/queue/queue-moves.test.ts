import { expect, it } from "vitest";
import { movedPosition, queuedText, queuedWords, withMoved } from "./queue-moves.ts";

const QUEUE = ["a", "b", "c"].map((messageId) => ({ messageId }));

it("a message moves one position and stops at the ends", () => {
  const moved = (id: string, by: number) => movedPosition(QUEUE, id, by);
  expect([moved("b", -1), moved("b", 1), moved("a", -1), moved("c", 1), moved("c", -9)]).toEqual([
    0,
    2,
    null,
    null,
    0,
  ]);
  expect(moved("gone", 1)).toBeNull();
});

it("the other messages keep their order", () => {
  const ids = (id: string, position: number) =>
    withMoved(QUEUE, id, position)
      .map(({ messageId }) => messageId)
      .join("");
  expect([ids("c", 0), ids("a", 2), ids("b", 1), ids("gone", 0)]).toEqual([
    "cab",
    "bca",
    "abc",
    "abc",
  ]);
});

it("only a text can be edited; the text of parts is shown", () => {
  const text = { content: { type: "text", text: "Hello" } };
  const parts = { content: { type: "parts", parts: [{ type: "text", text: "See" }, 3] } };
  expect([queuedText(text), queuedText(parts)]).toEqual(["Hello", null]);
  expect([queuedWords(text), queuedWords(parts)]).toEqual(["Hello", "See"]);
  expect(queuedWords({ content: { type: "other" } })).toBe("A message in parts");
});
