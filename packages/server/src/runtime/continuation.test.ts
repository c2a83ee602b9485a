import { expect, it } from "vitest";
import type { StoredSuspension } from "../storage/store.ts";
import { continuationOf } from "./continuation.ts";

const closed = (more: Partial<StoredSuspension>): StoredSuspension => ({
  id: "p1",
  sessionId: "s1",
  runId: "r1",
  kind: "question",
  request: { title: "Which one?" },
  fingerprint: null,
  createdAt: 1,
  expiresAt: null,
  status: "answered",
  answer: "blue",
  answeredBy: null,
  closedAt: 2,
  ...more,
});

it.each<[string, Partial<StoredSuspension>]>([
  ['You asked: "Which one?" The answer: blue', {}],
  ['You asked: "Which one?" The answer: {"color":"blue"}', { answer: { color: "blue" } }],
  ['You asked: "Which one?" Nobody answered in time.', { status: "expired" }],
  ['You asked: "Which one?" It was withdrawn: nobody will answer it.', { status: "withdrawn" }],
  [
    'You waited for the event "Which one?". It has happened, with: [7]',
    { kind: "event", answer: [7] },
  ],
  ['You waited for the event "Which one?". It has happened.', { kind: "event", answer: null }],
  [
    'You waited for the event "Which one?". It was not reported: nobody answered in time.',
    { kind: "event", status: "expired" },
  ],
  [
    'You waited for the event "Which one?". It is no longer awaited.',
    { kind: "event", status: "released" },
  ],
  ['"Which one?" was answered: 7', { kind: "tool_result", answer: 7 }],
  [
    '"tool_result" was not answered: expired',
    { kind: "tool_result", status: "expired", request: {} },
  ],
])("an agent goes on with: %s", (line, suspension) => {
  expect(continuationOf([closed(suspension)])).toBe(
    ["What you were waiting for:", `- ${line}`, "Go on with the work."].join("\n"),
  );
});

it("an agent that waited for a permission is told to ask for it again", () => {
  const options = [{ optionId: "o1", name: "Yes", kind: "allow_once" }];
  const permission = closed({ kind: "permission", request: { title: "May I?", options } });
  const answered = { ...permission, answer: { optionId: "o1" } };
  expect(continuationOf([closed({}), answered])).toBe(
    [
      "What you were waiting for:",
      '- You asked: "Which one?" The answer: blue',
      '- "May I?" was answered: allow_once',
      "Go on with the work.",
      "If you still need a permission, ask for it again.",
    ].join("\n"),
  );
});

it("an agent that waited for nothing is told nothing", () => {
  expect(continuationOf([])).toBeNull();
});

it("names the last twenty of very many, and how many there were before", () => {
  const many = Array.from({ length: 100 }, (_, n) =>
    closed({ id: `p${n}`, answer: `answer ${n}` }),
  );
  const lines = continuationOf(many)?.split("\n") ?? [];
  expect(lines.slice(0, 3)).toEqual([
    "What you were waiting for:",
    "- 80 earlier ones, all closed",
    '- You asked: "Which one?" The answer: answer 80',
  ]);
  expect(lines).toHaveLength(23);
});
