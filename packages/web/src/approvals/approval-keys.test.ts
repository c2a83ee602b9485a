import { expect, it } from "vitest";
import { answerOfKey, type Approval, type PressedKey } from "./approval.ts";
import { suggestedOptions } from "./options.ts";

const press = (key: string, more: Partial<PressedKey> = {}): PressedKey => ({
  key,
  metaKey: false,
  ctrlKey: false,
  altKey: false,
  repeat: false,
  ...more,
});
const subject = { tool: null, kind: null, command: null, fields: [], files: [], paths: [] };
const permission: Approval = {
  ask: "choice",
  title: "git push",
  subject,
  options: [
    { optionId: "yes", name: "Allow", tone: "allow", always: false, digit: 1 },
    { optionId: "no", name: "Reject", tone: "reject", always: false, digit: 3 },
  ],
};

it("a digit chooses the option that has it", () => {
  const chosen = ["1", "2", "3", "0", "a"].map((key) =>
    answerOfKey(permission, press(key), { inCard: false }),
  );
  expect(chosen).toEqual(["yes", null, "no", null, null]);
});

it("Escape rejects only while the focus is in the card", () => {
  expect(answerOfKey(permission, press("Escape"), { inCard: true })).toBe("no");
  expect(answerOfKey(permission, press("Escape"), { inCard: false })).toBeNull();
});

it("Escape does nothing without a rejecting option", () => {
  const options = suggestedOptions(["one"]);
  const question: Approval = { ask: "text", title: "Which?", options };
  expect(answerOfKey(question, press("Escape"), { inCard: true })).toBeNull();
  expect(answerOfKey(question, press("1"), { inCard: true })).toBe("one");
});

it("repeated keys and keys with modifiers do nothing", () => {
  const with_ = (more: Partial<PressedKey>) =>
    answerOfKey(permission, press("1", more), { inCard: true });
  expect([
    with_({ repeat: true }),
    with_({ ctrlKey: true }),
    with_({ metaKey: true }),
    with_({ altKey: true }),
  ]).toEqual([null, null, null, null]);
});
