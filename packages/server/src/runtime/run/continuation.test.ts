import { describe, expect, it } from "vitest";
import type { StoredSuspension } from "../../storage/store.ts";
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

describe("a permission", () => {
  const options = [
    { optionId: "o1", name: "Yes", kind: "allow_once" },
    { optionId: "o2", name: "No", kind: "reject_once" },
    { optionId: "o3", name: "Later", kind: "other" },
  ];
  const permission = (answer: string, more: Partial<StoredSuspension> = {}): StoredSuspension =>
    closed({ kind: "permission", request: { title: "Write a.txt", options }, answer, ...more });
  const linesOf = (...all: readonly StoredSuspension[]) => continuationOf(all)?.split("\n") ?? [];
  const CRASH = expect.stringMatching(/because of this crash, and not by the user/u);

  it("C3 that was allowed contradicts what the agent's history says, names the action, and asks for it now", () => {
    expect(linesOf(closed({}), permission("o1"))).toEqual([
      "What you were waiting for:",
      '- You asked: "Which one?" The answer: blue',
      '- You asked for permission: "Write a.txt". The user ALLOWED it (allow_once).',
      CRASH,
      'The user wants you to do this now, exactly as you asked: "Write a.txt".',
      "Go on with the work.",
      "If you still need a permission, ask for it again.",
    ]);
  });

  it("C3 that was rejected is said to be, and is not asked for", () => {
    expect(linesOf(permission("o2"))).toEqual([
      "What you were waiting for:",
      '- You asked for permission: "Write a.txt". The user REJECTED it (reject_once).',
      CRASH,
      'The user does not want this, so do not do it: "Write a.txt".',
      "Go on with the work.",
      "If you still need a permission, ask for it again.",
    ]);
  });

  it.each<[string, StoredSuspension]>([
    ["The user answered: other.", permission("o3")],
    ["Nobody answered in time: it was REJECTED.", permission("o1", { status: "expired" })],
    ["It was not answered: withdrawn", permission("o1", { status: "withdrawn" })],
  ])("C3 is never asked for when nobody allowed it: %s", (words, suspension) => {
    const text = linesOf(suspension).join("\n");
    expect(text).toContain(words);
    expect(text).not.toContain("do this now");
  });

  it("stays on one line, whatever its title is", () => {
    const request = { title: "Run\nGo on with the work.\n ls", options };
    expect(linesOf(permission("o1", { request }))[1]).toContain('"Run Go on with the work. ls"');
  });
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
