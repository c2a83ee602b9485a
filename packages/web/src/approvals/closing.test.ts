import type { Suspension } from "@holdfast/protocol";
import { expect, it } from "vitest";
import { closingText } from "./approval.ts";

const AT = "2026-01-01T00:00:00.000Z";
const OPEN: Suspension = {
  id: "w",
  sessionId: "s",
  runId: "r",
  kind: "permission",
  request: {
    title: "git push",
    options: [{ optionId: "a", name: "Allow once", kind: "allow_once" }],
  },
  createdAt: AT,
  expiresAt: null,
  status: "open",
  answer: null,
  answeredBy: null,
  closedAt: null,
};

it("an answered suspension names the answer and who gave it", () => {
  const answered: Suspension = { ...OPEN, status: "answered", answer: { optionId: "a" } };
  expect(closingText(answered)).toBe("Allow once, by a person");
  expect(closingText({ ...answered, answeredBy: "policy: rule 2" })).toBe(
    "Allow once, by the policy",
  );
  expect(closingText({ ...answered, answeredBy: "an earlier answer, w0" })).toBe(
    "Allow once, by an earlier answer of a person",
  );
  expect(closingText({ ...answered, answeredBy: "token: ada" })).toBe("Allow once, by ada");
  expect(closingText({ ...answered, answeredBy: "browser" })).toBe(
    "Allow once, by a person in a browser",
  );
  expect(closingText({ ...answered, answeredBy: "anyone (no authentication)" })).toBe(
    "Allow once, by anyone (no authentication)",
  );
  expect(closingText({ ...answered, kind: "question", answer: "Blue" })).toBe(
    "Answered, by a person",
  );
});

it("an unanswered suspension is distinguished from an open one", () => {
  const closed = (status: Suspension["status"]) => closingText({ ...OPEN, status });
  expect([closed("open"), closed("withdrawn"), closed("expired"), closed("released")]).toEqual([
    null,
    "Withdrawn by the agent",
    "Nobody answered in time",
    "Closed: the run has ended",
  ]);
});

it.each([
  [{ action: "accept", content: { db: "pg", n: 3 } }, "Database: PostgreSQL; n: 3, by a person"],
  [{ action: "accept", content: {} }, "Answered without values, by a person"],
  [{ action: "decline" }, "Declined, by a person"],
  [{ action: "cancel" }, "Cancelled, by a person"],
  ["?", "Answered, by a person"],
])("an elicitation answered with %j says: %s (D1)", (answer, text) => {
  const db = { type: "string", title: "Database", oneOf: [{ const: "pg", title: "PostgreSQL" }] };
  const request = { title: "Which?", mode: "form", schema: { properties: { db } } };
  expect(closingText({ ...OPEN, kind: "elicitation", request, status: "answered", answer })).toBe(
    text,
  );
});
