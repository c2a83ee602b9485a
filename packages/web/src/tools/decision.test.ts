import type { Suspension } from "@holdfast/protocol";
import { expect, it } from "vitest";
import { createDecisions, decisionOf, inWords } from "./decision.ts";

const asked: Suspension = {
  id: "q1",
  sessionId: "s",
  runId: "r1",
  kind: "permission",
  status: "answered",
  request: {
    title: "Edit",
    toolCallId: "c1",
    options: [
      { optionId: "yes", name: "Allow", kind: "allow_once" },
      { optionId: "ever", name: "Always", kind: "allow_always" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
    ],
  },
  answer: { optionId: "yes" },
  answeredBy: "browser",
  createdAt: "2026-01-01T09:00:00.000Z",
  expiresAt: null,
  closedAt: "2026-01-01T09:02:00.000Z",
};

it.each([
  [{}, "Allowed by you"],
  [{ answer: "ever", answeredBy: "token: anna" }, "Allowed by anna"],
  [{ answer: "allow_once" }, "Allowed by you"],
  [{ answer: { optionId: "no" }, answeredBy: "command line" }, "Rejected by you in a terminal"],
  [{ answer: { optionId: "no" }, answeredBy: "editor" }, "Rejected by you in an editor"],
  [
    { answer: { optionId: "no" }, answeredBy: "orchestrator" },
    "Rejected by a program that leads agents",
  ],
  [{ answeredBy: "policy: rule 2" }, "Allowed by a rule"],
  [{ answer: { outcome: "cancelled" }, answeredBy: "policy: rule 2" }, "Rejected by a rule"],
  [{ answeredBy: "an earlier answer, q0" }, "Allowed by an earlier answer"],
  [{ status: "expired" }, "Rejected: nobody answered in time"],
  [{ status: "withdrawn" }, "Withdrawn by the agent"],
  [{ status: "released" }, null],
  [{ kind: "question" }, null],
] as const)("%j reads %j", (changes, text) => {
  const decided = decisionOf({ ...asked, ...changes });
  expect((decided && inWords(decided)?.text) ?? null).toBe(text);
});

it("belongs to the call of its run", () => {
  const decisions = createDecisions();
  const decided = decisionOf(asked);
  expect(decided).toMatchObject({ runId: "r1", callId: "c1", chosen: "allow_once" });
  expect(decided && decisions.take(decided)).toBe(true);
  expect(decisionOf({ ...asked, status: "open" })).toBeNull();
  const message = (runId: string) => ({
    id: "m",
    sessionId: "s",
    runId,
    seq: 1,
    role: "system" as const,
    content: { type: "tool", tool: "edit", callId: "c1" } as const,
    complete: true,
    timestamp: "2026-01-01T09:00:00.000Z",
  });
  expect(decisions.of(message("r1"))?.text).toBe("Allowed by you");
  expect(decisions.of(message("r2"))).toBeNull();
});
