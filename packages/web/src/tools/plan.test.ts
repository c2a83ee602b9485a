import { expect, it } from "vitest";
import { toPlan } from "./plan.ts";

it("reads steps in all known formats", () => {
  const steps = [
    { content: "Look", status: "completed", priority: "high" },
    { content: "Do", status: "in_progress" },
    { title: "Later", status: "blocked" },
    "Words",
    7,
    { step: 1 },
  ];
  expect(toPlan({ type: "plan", steps })).toEqual({
    steps: [
      { content: "Look", status: "completed" },
      { content: "Do", status: "in_progress" },
      { content: "Later", status: "pending" },
      { content: "Words", status: "pending" },
      { content: "7", status: "pending" },
      { content: '{"step":1}', status: "pending" },
    ],
    text: null,
  });
  expect(toPlan({ type: "plan", steps: [], text: "# Plan" })).toEqual({
    steps: [],
    text: "# Plan",
  });
});
