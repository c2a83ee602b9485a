import { expect, it } from "vitest";
import { createSessionRequestSchema } from "../requests/session-request.ts";
import { comparedSession, comparisonOf } from "./comparison.ts";

const REQUEST = {
  comparison: "c1",
  repoId: "r1",
  provider: "codex",
  message: `\n${"x".repeat(70)}\nmore`,
};

it("a session of a comparison has a worktree, the name of its agent and the mark (D7)", () => {
  const request = comparedSession(REQUEST);
  expect(createSessionRequestSchema.parse(request)).toEqual({
    repoId: "r1",
    provider: "codex",
    title: `${"x".repeat(60)} (codex)`,
    workspace: "worktree",
    metadata: { comparison: "c1" },
  });
  expect(comparedSession({ ...REQUEST, base: "main" })).toEqual({ ...request, base: "main" });
});

it("a session knows its comparison, and a fork belongs to none (D7)", () => {
  const { metadata = {} } = comparedSession(REQUEST);
  const forkedFrom = { sessionId: "s", atMessage: null };
  expect(
    [
      { metadata, forkedFrom: null },
      { metadata, forkedFrom },
      { metadata: {}, forkedFrom: null },
      { metadata: { comparison: 1 }, forkedFrom: null },
    ].map(comparisonOf),
  ).toEqual(["c1", null, null, null]);
});
