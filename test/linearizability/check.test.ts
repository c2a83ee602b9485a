import { describe, expect, it } from "vitest";
import { checkLinearizable, type Operation } from "./check.ts";
import { SESSION, type Outcome, type SessionCall } from "./session-model.ts";

type History = readonly Operation<SessionCall>[];

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
const refused = (key: string, code = "session_archived"): SessionCall => ({
  do: "send",
  key,
  outcome: code,
});
const interrupting = (key: string, messageId: string): SessionCall => ({
  do: "send",
  key,
  interrupts: true,
  outcome: { messageId },
});
const lost = (key: string): SessionCall => ({ do: "send", key, outcome: "unknown" });
const read = (...messages: readonly string[]): SessionCall => ({ do: "read", messages });
const answered = (answer: string, outcome: Outcome = "done"): SessionCall => ({
  do: "answer",
  suspensionId: "s",
  answer,
  outcome,
});
const withdrawn = (messageId: string, outcome: Outcome = "done"): SessionCall => ({
  do: "withdraw",
  messageId,
  outcome,
});
const request = (kind: "cancel" | "resume" | "archive" | "delete", outcome: Outcome = "done") =>
  ({ do: kind, outcome }) as const;
const start = (messageId: string): SessionCall => ({ do: "start", messageId });
const end = (messageId: string): SessionCall => ({ do: "end", messageId });
const ASKED: SessionCall = { do: "ask", suspensionId: "s" };

/** One after the other, each with a time of its own. */
const inTurn = (...calls: readonly SessionCall[]): History =>
  calls.map((call, index) => at(2 * index, 2 * index + 1, call));
/** A run that asks a question. */
const ASKING = [sent("a", "1"), start("1"), ASKED] as const;
const verdict = (history: History): string => checkLinearizable(SESSION, history).is;

/** Histories that a correct server can have, by the request they are about. */
const RIGHT: Readonly<Record<string, Readonly<Record<string, History>>>> = {
  send: {
    "one after the other": inTurn(sent("a", "1"), sent("b", "2"), read("1", "2")),
    "at once, in either order": [
      at(0, 9, sent("a", "1")),
      at(1, 8, sent("b", "2")),
      at(10, 11, read("2", "1")),
    ],
    "repeated with the same key": inTurn(sent("a", "1"), sent("a", "1"), read("1")),
    "repeated after a lost reply": [
      at(0, Infinity, lost("a")),
      at(2, 3, sent("a", "1")),
      at(4, 5, read("1")),
    ],
    "lost and never stored": [at(0, Infinity, lost("a")), at(2, 3, read())],
    "lost and stored late": [
      at(0, Infinity, lost("a")),
      at(2, 3, read()),
      at(4, 5, read("x")),
      at(6, 7, sent("a", "x")),
    ],
    "interrupts a run, and is delivered before older messages": inTurn(
      sent("a", "1"),
      start("1"),
      sent("b", "2"),
      interrupting("c", "3"),
      start("3"),
      end("3"),
      start("2"),
    ),
    "refused during an archive": [
      at(0, 5, request("archive")),
      at(1, 2, refused("a")),
      at(6, 7, read()),
    ],
    "repeated after an archive": inTurn(sent("a", "1"), request("archive"), sent("a", "1")),
  },
  answer: {
    "the first of two counts": [
      ...inTurn(...ASKING),
      at(10, 15, answered("no", "suspension_answered")),
      at(11, 14, answered("yes")),
    ],
    "repeated with the same text": inTurn(...ASKING, answered("yes"), answered("yes")),
    "a lost one may have counted": [
      ...inTurn(...ASKING),
      at(10, Infinity, answered("no", "unknown")),
      at(12, 13, answered("yes", "suspension_answered")),
    ],
    "or not yet": [
      ...inTurn(...ASKING),
      at(10, Infinity, answered("no", "unknown")),
      at(12, 13, answered("yes")),
    ],
    "refused after the run": inTurn(...ASKING, end("1"), answered("yes", "suspension_not_open")),
  },
  cancel: {
    "ends the run": inTurn(
      sent("a", "1"),
      start("1"),
      request("cancel"),
      sent("b", "2"),
      start("2"),
    ),
    "does nothing without a run": inTurn(sent("a", "1"), request("cancel"), start("1")),
    "is sent before the run that it ends": [
      at(0, 20, request("cancel")),
      at(1, 2, sent("a", "1")),
      at(3, 3, start("1")),
      at(10, 10, { do: "before", effect: { is: "cancelled", messageId: "1" } }),
      at(10, 10, { do: "after", effect: { is: "cancelled", messageId: "1" } }),
    ],
    "closes the question": inTurn(
      ...ASKING,
      request("cancel"),
      answered("yes", "suspension_not_open"),
    ),
    "a lost one ends the run later": [
      ...inTurn(sent("a", "1"), start("1")),
      at(10, Infinity, request("cancel", "unknown")),
      ...[ASKED, sent("b", "2"), start("2")].map((call, index) => at(20 + index, 20 + index, call)),
    ],
  },
  withdraw: {
    "before the message is delivered": inTurn(
      sent("a", "1"),
      withdrawn("1"),
      withdrawn("1", "message_not_found"),
    ),
    "refused after it": inTurn(sent("a", "1"), start("1"), withdrawn("1", "message_not_queued")),
    "possible again when it is back in the queue": inTurn(
      sent("a", "1"),
      start("1"),
      { do: "requeue", messageId: "1" },
      withdrawn("1"),
      withdrawn("1", "message_not_queued"),
    ),
    "a lost one may come too late": [
      ...inTurn(sent("a", "1")),
      at(5, Infinity, withdrawn("1", "unknown")),
      at(6, 6, start("1")),
    ],
    "or not": [
      ...inTurn(sent("a", "1")),
      at(5, Infinity, withdrawn("1", "unknown")),
      at(6, 7, withdrawn("1", "message_not_found")),
    ],
  },
  archive: {
    "ends the run and the queue": inTurn(
      sent("a", "1"),
      start("1"),
      sent("b", "2"),
      request("archive"),
      withdrawn("2", "message_not_queued"),
      request("cancel", "session_archived"),
      request("resume", "session_archived"),
      request("archive"),
    ),
    "a lost one archives later": [
      at(0, Infinity, request("archive", "unknown")),
      at(2, 3, sent("a", "1")),
      at(4, 5, refused("b")),
    ],
  },
  delete: {
    "nothing is found afterwards": inTurn(
      ...ASKING,
      request("delete"),
      refused("b", "session_not_found"),
      answered("yes", "session_not_found"),
      request("archive", "session_not_found"),
      request("delete", "session_not_found"),
    ),
    "a lost one was carried out": [
      at(0, Infinity, request("delete", "unknown")),
      at(2, 3, request("delete", "session_not_found")),
    ],
  },
};

/** Histories of a server with a bug. */
const WRONG: typeof RIGHT = {
  send: {
    "an acknowledged message is lost": inTurn(sent("a", "1"), read()),
    "a message is stored twice": inTurn(sent("a", "1"), read("1", "1")),
    "a key has two messages": inTurn(sent("a", "1"), sent("a", "2")),
    "messages change places": inTurn(sent("a", "1"), sent("b", "2"), read("2", "1")),
    "messages are delivered in another order": inTurn(sent("a", "1"), sent("b", "2"), start("2")),
    "a read goes back": [at(0, 9, sent("a", "1")), at(1, 2, read("1")), at(3, 4, read())],
    "a message is refused without a reason": inTurn(refused("a")),
    "a repetition of an accepted message is refused": inTurn(
      sent("a", "1"),
      request("archive"),
      refused("a"),
    ),
    "an interrupted run goes on": inTurn(
      sent("a", "1"),
      start("1"),
      interrupting("b", "2"),
      end("1"),
    ),
  },
  answer: {
    "two answers are accepted": inTurn(...ASKING, answered("yes"), answered("no")),
    "an answer is refused without another": inTurn(
      ...ASKING,
      answered("yes", "suspension_answered"),
    ),
    "an answer is accepted after the run": inTurn(...ASKING, end("1"), answered("yes")),
    "an accepted answer is not stored": inTurn(...ASKING, answered("yes"), {
      do: "read",
      messages: ["1"],
      answers: {},
    }),
    "a lost answer counts before it was given": [
      ...inTurn(...ASKING, answered("yes", "suspension_answered")),
      at(20, Infinity, answered("no", "unknown")),
    ],
  },
  cancel: {
    "a cancelled run goes on": inTurn(sent("a", "1"), start("1"), request("cancel"), end("1")),
    "a cancelled run asks": inTurn(sent("a", "1"), start("1"), request("cancel"), ASKED),
    "a run is cancelled by nobody": inTurn(
      sent("a", "1"),
      start("1"),
      { do: "before", effect: { is: "cancelled", messageId: "1" } },
      { do: "after", effect: { is: "cancelled", messageId: "1" } },
    ),
    "a cancel is accepted after an archive": inTurn(request("archive"), request("cancel")),
  },
  withdraw: {
    "a withdrawn message is delivered": inTurn(sent("a", "1"), withdrawn("1"), start("1")),
    "a message is withdrawn twice": inTurn(sent("a", "1"), withdrawn("1"), withdrawn("1")),
    "a delivered message is withdrawn": inTurn(sent("a", "1"), start("1"), withdrawn("1")),
    "a queued message is not found": inTurn(sent("a", "1"), withdrawn("1", "message_not_queued")),
    "a withdrawal is not stored": inTurn(sent("a", "1"), withdrawn("1"), {
      do: "read",
      messages: ["1"],
      withdrawn: [],
    }),
  },
  archive: {
    "a message is accepted afterwards": inTurn(request("archive"), sent("a", "1")),
    "a queued message is delivered afterwards": inTurn(
      sent("a", "1"),
      request("archive"),
      start("1"),
    ),
    "a question stays open": inTurn(...ASKING, request("archive"), answered("yes")),
    "it is not stored": inTurn(request("archive"), { do: "read", messages: [], life: "active" }),
    "it is resumed": inTurn(request("archive"), request("resume")),
  },
  delete: {
    "a message is accepted afterwards": inTurn(request("delete"), sent("a", "1")),
    "it is deleted twice": inTurn(request("delete"), request("delete")),
    "it is not found before": inTurn(request("archive", "session_not_found"), request("delete")),
    "it comes back": inTurn(request("delete"), request("archive")),
  },
};

const cases = (histories: typeof RIGHT): readonly [string, string, History][] =>
  Object.entries(histories).flatMap(([kind, of]) =>
    Object.entries(of).map(([name, history]): [string, string, History] => [kind, name, history]),
  );

describe("requests to a session", () => {
  it.each(cases(RIGHT))("are linearizable: %s, %s", (_, __, history) => {
    expect(verdict(history)).toBe("linearizable");
  });

  it.each(cases(WRONG))("are not: %s, %s", (_, __, history) => {
    expect(verdict(history)).toBe("violated");
  });

  it("take effect when the log says so", () => {
    const effect = { is: "archived" } as const;
    const archivedAt = (time: number): History => [
      at(0, 10, request("archive")),
      at(time, time, { do: "before", effect }),
      at(time, time, { do: "after", effect }),
      at(3, 4, sent("a", "1")),
    ];
    expect([2, 5, 11].map((time) => verdict(archivedAt(time)))).toEqual([
      "violated",
      "linearizable",
      "violated",
    ]);
  });

  it("are decided in bounded time, or not at all", () => {
    const many = Array.from({ length: 16 }, (_, n) => at(0, 100, sent(`k${n}`, `${n}`)));
    const wrong = [...many, at(101, 102, read("none"))];
    expect(checkLinearizable(SESSION, wrong, 1_000).is).toBe("unknown");
  });
});
