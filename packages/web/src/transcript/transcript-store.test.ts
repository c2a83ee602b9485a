import { applyEvent, MissingMessageError, type StreamEvent } from "@holdfast/client";
import type { FeedEvent, Message, WholeSession } from "@holdfast/protocol";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Row } from "./rows.ts";
import { framesOnDemand } from "./testing/frames.ts";
import { messageMaker, text, tool } from "./testing/messages.ts";
import { createTranscript, type TranscriptStore } from "./transcript-store.ts";

function open(messages: readonly Message[], pageSize?: number) {
  const { frames, next } = framesOnDemand();
  const store = createTranscript({
    sessionId: "s",
    frames,
    ...(pageSize === undefined ? {} : { pageSize }),
  });
  store.load({ messages: [...messages], suspensions: [] });
  const send = (...events: FeedEvent[]): void => {
    for (const event of events) store.apply(event);
    next();
  };
  return { store, send, next };
}

/** The visible rows in order. */
function shown({ rows }: TranscriptStore): string[] {
  const pieces: { id: string; text: string }[] = [];
  const add = (id: string, piece: string): void => {
    const last = pieces.at(-1);
    if (last?.id === id) last.text += piece;
    else pieces.push({ id, text: piece });
  };
  for (const row of rows) {
    if (row.row === "message") add(row.message.id, row.text);
    else if (row.row === "block") {
      if (row.from === 0) add(row.message.id, row.block.raw);
    } else if (row.row === "activity")
      for (const { id, content } of row.messages) add(id, JSON.stringify(content));
  }
  return pieces.map((piece) => `${piece.id}: ${piece.text}`);
}

const keys = (rows: readonly Row[]): string[] => rows.map(({ key }) => key);
const message = (data: Message): FeedEvent => ({ type: "message", data });
const delta = (messageId: string, words: string): FeedEvent => ({
  type: "delta",
  data: { messageId, text: words },
});

it("only the newest messages have rows at first; older rows are added before them", () => {
  const make = messageMaker();
  const messages = Array.from({ length: 25 }, (_, index) => make("user", text(`${index}`)));
  const { store } = open(messages, 10);
  expect(keys(store.rows)).toEqual(messages.slice(15).map(({ id }) => id));
  store.revealOlder();
  expect(keys(store.rows)).toEqual(messages.slice(5).map(({ id }) => id));
  expect(store.hasOlder).toBe(true);
  store.revealOlder();
  expect(keys(store.rows)).toEqual(messages.map(({ id }) => id));
  expect(store.hasOlder).toBe(false);
});

it("revealing a message adds its row and a few before it", () => {
  const make = messageMaker();
  const messages = Array.from({ length: 100 }, (_, index) => make("user", text(`${index}`)));
  const { store } = open(messages, 8);
  expect(store.revealMessage("m51")).toBe(2);
  expect(store.rows[2]?.messageId).toBe("m51");
  expect(store.revealMessage("nobody")).toBe(-1);
});

it("growing text changes only its last row and adds rows one by one", () => {
  const make = messageMaker();
  const question = make("user", text("Hello"));
  const answer = make("agent", text("First."), { complete: false });
  const { store, send } = open([question, answer]);
  const notified: string[] = [];
  for (const { key } of store.rows) store.subscribeRow(key, () => notified.push(key));
  let changes = 0;
  store.subscribe(() => (changes += 1));
  send(delta(answer.id, " More"), delta(answer.id, " words."));
  expect({ notified, changes }).toEqual({ notified: [`${answer.id}@0.0`], changes: 0 });
  send(delta(answer.id, "\n\nSecond.\n\nThird"));
  expect(changes).toBe(1);
  expect(keys(store.rows).slice(1)).toEqual(["m2@0.0", "m2@20.0", "m2@29.0"]);
  expect(shown(store)[1]).toBe("m2: First. More words.\n\nSecond.\n\nThird");
});

it("a completed text keeps the rows it had while growing", () => {
  const make = messageMaker();
  const answer = make("agent", text(""), { complete: false });
  const { store, send } = open([answer]);
  const words = "One.\n\n1. a\n2. b\n\n```ts\nlet x;\n```\n\nEnd.";
  for (const piece of words.match(/.{1,3}/gsu) ?? []) send(delta(answer.id, piece));
  const before = [...store.rows];
  send(message({ ...answer, content: text(words), complete: true }));
  expect(keys(store.rows)).toEqual(keys(before));
  expect(store.rows.slice(0, -1)).toEqual(before.slice(0, -1));
  for (const [index, row] of store.rows.slice(0, -1).entries()) expect(row).toBe(before[index]);
  expect(store.rows.at(-1)).toMatchObject({ live: false });
});

it("a long text has several rows, and so does long code", () => {
  const make = messageMaker();
  const code = Array.from({ length: 150 }, (_, index) => `line ${index}`).join("\n");
  const words = `${"Words. ".repeat(1_500)}\n\n\`\`\`\n${code}\n\`\`\`\n\nEnd.`;
  const { store } = open([make("agent", text(words))]);
  const parts = store.rows.map((row) => (row.row === "block" ? [row.from, row.to] : null));
  expect(parts).toEqual([
    [0, Infinity],
    [0, 60],
    [60, 120],
    [120, Infinity],
    [0, Infinity],
  ]);
});

it("consecutive tool calls are one row, which is never split", () => {
  const make = messageMaker();
  const messages = [
    make("user", text("Go")),
    ...Array.from({ length: 30 }, (_, index) => make("system", tool(`Read ${index}`))),
    make("agent", text("Done")),
  ];
  const { store, send } = open(messages, 5);
  expect(keys(store.rows)).toEqual(["+m2", "m32"]);
  send(message(make("system", tool("Again"), { complete: false })));
  expect(keys(store.rows)).toEqual(["+m2", "m32", "+m33"]);
  send(message(make("system", tool("And again"))));
  expect(keys(store.rows)).toEqual(["+m2", "m32", "+m33"]);
  expect(store.rows[2]).toMatchObject({ until: null, startsRun: false });
  const last = make("user", text("Thanks"));
  send(message(last));
  expect(store.rows[2]).toMatchObject({ until: last.timestamp });
  expect(store.rows[0]).toMatchObject({ startsRun: true });
});

it("a tool call changes when it starts and stops waiting for an answer", () => {
  const make = messageMaker();
  const call = make("system", tool("Write", { callId: "c1", status: "pending" }), {
    complete: false,
  });
  const { store, send } = open([call]);
  let notified = 0;
  store.subscribeRow("+m1", () => (notified += 1));
  const suspension = {
    id: "p1",
    sessionId: "s",
    runId: "r1",
    kind: "permission" as const,
    request: { toolCallId: "c1" },
    createdAt: call.timestamp,
    expiresAt: null,
    status: "open" as const,
    answer: null,
    answeredBy: null,
    closedAt: null,
  };
  send({ type: "suspension", data: suspension });
  const { id, kind, request, createdAt, expiresAt } = suspension;
  expect(store.waiting("c1")).toEqual({ id, kind, request, createdAt, expiresAt });
  send({ type: "suspension", data: { ...suspension, status: "answered" } });
  expect(store.waiting("c1")).toBeNull();
  expect(notified).toBe(2);
});

it("loading the session again keeps the rows and adds missed messages", () => {
  const make = messageMaker();
  const question = make("user", text("Go"));
  const answer = make("agent", text("One.\n\nTwo"), { complete: false });
  const { store, send } = open([question, answer]);
  send(delta(answer.id, " and"));
  const before = keys(store.rows);
  const whole = { ...answer, content: text("One.\n\nTwo and three."), complete: true };
  store.load({ messages: [question, whole, make("user", text("?"))], suspensions: [] });
  expect(keys(store.rows)).toEqual([...before, "m3"]);
  expect(shown(store)).toEqual(["m1: Go", "m2: One.\n\nTwo and three.", "m3: ?"]);
});

it("a late message is placed by its sequence number", () => {
  const make = messageMaker();
  const [first, late, last] = [1, 2, 3].map((number) => make("user", text(`${number}`)));
  if (first === undefined || late === undefined || last === undefined) throw new Error("three");
  const { store, send } = open([first, last]);
  send(message(late));
  expect(shown(store)).toEqual(["m1: 1", "m2: 2", "m3: 3"]);
});

it("a growing text that was replaced is parsed again", () => {
  const make = messageMaker();
  const answer = make("agent", text("One.\n\nTwo.\n\nThree"), { complete: false });
  const { store, send } = open([answer]);
  send(message({ ...answer, content: text("# Other\n\nwords") }));
  send(delta(answer.id, " and more"));
  expect(shown(store)).toEqual(["m1: # Other\n\nwords and more"]);
});

it("commits nothing after it was closed", () => {
  const make = messageMaker();
  const answer = make("agent", text("One"), { complete: false });
  const { store, next } = open([answer]);
  store.apply(delta(answer.id, " two"));
  store.close();
  next();
  expect(shown(store)).toEqual(["m1: One"]);
});

const step = fc.oneof(
  fc.record({ do: fc.constant("say" as const), role: fc.constantFrom("user", "agent", "system") }),
  fc.record({ do: fc.constant("tool" as const) }),
  fc.record({
    do: fc.constant("grow" as const),
    words: fc.constantFrom("word ", "\n\n", "- item\n", "```\n", "\r\n"),
  }),
  fc.record({ do: fc.constant("end" as const) }),
  fc.record({ do: fc.constant("frame" as const) }),
);

it("after any sequence of events the rows show the session as it is stored (C7)", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const make = messageMaker();
      const { store, next } = open([]);
      let session = { messages: [] as Message[], suspensions: [] } as unknown as WholeSession;
      let growing: Message | null = null;
      const send = (event: FeedEvent): void => {
        store.apply(event);
        const stream: StreamEvent = { id: null, ...event };
        session = applyEvent(session, stream) ?? session;
      };
      for (const each of steps) {
        if (each.do === "say") {
          growing = make(each.role as Message["role"], text("Begin "), { complete: false });
          send(message(growing));
        } else if (each.do === "tool") send(message(make("system", tool("Read"))));
        else if (each.do === "frame") next();
        else if (growing !== null) {
          const { id } = growing;
          if (each.do === "grow") send(delta(id, each.words));
          else {
            const now = session.messages.find((one) => one.id === id);
            if (now !== undefined) send(message({ ...now, complete: true }));
            growing = null;
          }
        }
      }
      next();
      const fresh = open(session.messages).store;
      expect(shown(store)).toEqual(shown(fresh));
    }),
    { numRuns: 200 },
  );
});

it("text of an unknown message is refused", () => {
  const store = createTranscript({ sessionId: "s" });
  expect(() => store.apply(delta("unknown", "x"))).toThrow(new MissingMessageError("unknown"));
});
