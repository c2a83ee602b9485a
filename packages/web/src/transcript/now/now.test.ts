import { expect, it } from "vitest";
import { nowOf } from "./now.ts";
import { messageMaker, text, tool } from "../testing/messages.ts";

const make = messageMaker();
const question = make("user", text("Mend it"));
const answer = make("agent", text("I will"));
const thought = make("agent", { type: "thought", text: "Hm" });
const call = make("system", tool("Read `a.ts`", { status: "in_progress" }));
const open = { complete: false };

it.each([
  ["nothing yet", [answer, question], null],
  ["only a notice", [question, make("system", { ...text("Trying again"), notice: "x" })], null],
  ["a thought", [question, { ...thought, ...open }], "Thinking…"],
  ["an answer", [question, { ...answer, ...open }], "Writing…"],
  ["a tool call", [question, { ...call, ...open }, thought], "Read a.ts"],
  ["everything complete", [question, answer, call], "Working…"],
  [
    "a message during the run",
    [question, { ...call, ...open }, make("user", { ...text("and b.ts"), injected: true })],
    "Read a.ts",
  ],
])("%s", (_, messages, now) => {
  expect(nowOf(messages)).toBe(now);
});
