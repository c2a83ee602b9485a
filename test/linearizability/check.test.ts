import { describe, expect, it } from "vitest";
import { checkLinearizable, type Operation } from "./check.ts";
import { SESSION, type SessionCall } from "./session-model.ts";

const at = (from: number, to: number, call: SessionCall): Operation<SessionCall> => ({
  call,
  from,
  to,
});
const sent = (key: string, messageId: string): SessionCall => ({
  do: "send",
  key,
  outcome: { messageId },
});
const lost = (key: string): SessionCall => ({ do: "send", key, outcome: "unknown" });
const refused = (key: string): SessionCall => ({ do: "send", key, outcome: "refused" });
const read = (...messages: readonly string[]): SessionCall => ({ do: "read", messages });
const answered = (outcome: "answered" | "refused"): SessionCall => ({
  do: "answer",
  suspensionId: "s",
  outcome,
});
const verdict = (...history: readonly Operation<SessionCall>[]): string =>
  checkLinearizable(SESSION, history).is;

describe("requests to a session", () => {
  it.each<[string, readonly Operation<SessionCall>[]]>([
    [
      "one after the other",
      [at(0, 1, sent("a", "1")), at(2, 3, sent("b", "2")), at(4, 5, read("1", "2"))],
    ],
    [
      "at once, in either order",
      [at(0, 9, sent("a", "1")), at(1, 8, sent("b", "2")), at(10, 11, read("2", "1"))],
    ],
    [
      "repeated with the same key",
      [at(0, 1, sent("a", "1")), at(2, 3, sent("a", "1")), at(4, 5, read("1"))],
    ],
    [
      "repeated after a lost reply",
      [at(0, Infinity, lost("a")), at(2, 3, sent("a", "1")), at(4, 5, read("1"))],
    ],
    ["lost and never stored", [at(0, Infinity, lost("a")), at(2, 3, read())]],
    ["lost and stored late", [at(0, Infinity, lost("a")), at(2, 3, read()), at(4, 5, read("x"))]],
    [
      "refused after an archive",
      [at(0, 5, { do: "archive", outcome: "archived" }), at(1, 2, refused("a")), at(6, 7, read())],
    ],
    ["answered once", [at(0, 5, answered("refused")), at(1, 4, answered("answered"))]],
  ])("are linearizable: %s", (_, history) => {
    expect(verdict(...history)).toBe("linearizable");
  });

  it.each<[string, readonly Operation<SessionCall>[]]>([
    ["an acknowledged message is lost", [at(0, 1, sent("a", "1")), at(2, 3, read())]],
    ["a message is stored twice", [at(0, 1, sent("a", "1")), at(2, 3, read("1", "1"))]],
    ["a key has two messages", [at(0, 1, sent("a", "1")), at(2, 3, sent("a", "2"))]],
    [
      "messages change places",
      [at(0, 1, sent("a", "1")), at(2, 3, sent("b", "2")), at(4, 5, read("2", "1"))],
    ],
    ["a read goes back", [at(0, 9, sent("a", "1")), at(1, 2, read("1")), at(3, 4, read())]],
    [
      "a question is answered twice",
      [at(0, 1, answered("answered")), at(2, 3, answered("answered"))],
    ],
    [
      "a message is taken after an archive",
      [at(0, 1, { do: "archive", outcome: "archived" }), at(2, 3, sent("a", "1"))],
    ],
    ["a message is refused without a reason", [at(0, 1, refused("a"))]],
  ])("are not: %s", (_, history) => {
    expect(verdict(...history)).toBe("violated");
  });

  it("are decided in bounded time, or not at all", () => {
    const many = Array.from({ length: 16 }, (_, n) => at(0, 100, sent(`k${n}`, `${n}`)));
    const wrong = [...many, at(101, 102, read("none"))];
    expect(checkLinearizable(SESSION, wrong, 1_000).is).toBe("unknown");
  });
});
