import { expect, it } from "vitest";
import { approvalOf, givingUpLabel, rejectionIn } from "./approval.ts";

const NOTHING = { tool: null, kind: null, command: null, fields: [], files: [], paths: [] };

it("a permission offers the agent's options with their names", () => {
  const approval = approvalOf({
    kind: "permission",
    request: {
      title: "git push",
      kind: "execute",
      toolCallId: "call1",
      input: { command: "git push" },
      options: [
        { optionId: "a", name: "Allow", kind: "allow_once" },
        { optionId: "b", name: "Always", kind: "allow_always" },
        { optionId: "c", name: "No", kind: "reject_once" },
        { optionId: "d", name: " ", kind: "something" },
        { name: "nobody can choose this" },
        null,
      ],
    },
  });
  expect(approval).toEqual({
    ask: "choice",
    title: "git push",
    subject: { ...NOTHING, kind: "execute", command: "git push" },
    options: [
      { optionId: "a", name: "Allow", tone: "allow", always: false, digit: 1 },
      { optionId: "b", name: "Always", tone: "allow", always: true, digit: 2 },
      { optionId: "c", name: "No", tone: "reject", always: false, digit: 3 },
      { optionId: "d", name: "d", tone: "other", always: false, digit: 4 },
    ],
  });
  expect(rejectionIn(approval)?.optionId).toBe("c");
});

it("a permission without options cannot be answered", () => {
  const approval = approvalOf({ kind: "permission", request: { title: "x", options: [] } });
  expect(approval).toEqual({ ask: "nothing", title: "x", subject: NOTHING });
  expect(rejectionIn(approval)).toBeNull();
});

it("a question accepts any text and offers the agent's suggestions", () => {
  expect(
    approvalOf({ kind: "question", request: { title: "Which?", options: ["one", "", 2] } }),
  ).toEqual({
    ask: "text",
    title: "Which?",
    options: [{ optionId: "one", name: "one", tone: "other", always: false, digit: 1 }],
  });
});

it("a tool's result and an event are answered with JSON", () => {
  expect(
    approvalOf({
      kind: "tool_result",
      request: { title: "weather", tool: "weather", args: { city: "Bern" } },
    }),
  ).toEqual({
    ask: "json",
    title: "weather",
    subject: { ...NOTHING, tool: "weather", fields: [{ name: "city", text: "Bern" }] },
  });
  expect(
    approvalOf({ kind: "event", request: { title: "deployed", description: "from CI" } }),
  ).toEqual({ ask: "json", title: "deployed", subject: { ...NOTHING, command: "from CI" } });
});

it("a rate limit needs no answer", () => {
  expect(approvalOf({ kind: "rate_limit", request: {} })).toEqual({
    ask: "nothing",
    title: "Waiting for the service",
    subject: NOTHING,
  });
});

it("D1 the way to end the run names a rejection only where something can be rejected", () => {
  const options = [{ optionId: "r", name: "No", kind: "reject_once" }];
  const permission = approvalOf({ kind: "permission", request: { title: "x", options } });
  const login = approvalOf({ kind: "login", request: { title: "x", provider: "a", methods: [] } });
  const form = approvalOf({ kind: "elicitation", request: { title: "x", mode: "form" } });
  expect(givingUpLabel([permission, permission])).toBe("Reject and stop");
  expect(givingUpLabel([permission, form])).toBe("Stop the run");
  expect(givingUpLabel([form])).toBe("Stop the run");
  expect(givingUpLabel([login])).toBeNull();
});
