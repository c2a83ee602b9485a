import { expect, it } from "vitest";
import { optionsIn, optionWords, toneOf } from "./options.ts";

const option = (optionId: string, kind: string) => ({ optionId, name: optionId, kind });
const keysOf = (...options: readonly object[]) =>
  optionsIn({ options }).map(({ digit, optionId }) => `${digit} ${optionId}`);

it("1 allows once, 2 always and 3 rejects, whatever the order of the agent (C3)", () => {
  expect(
    keysOf(
      option("ever", "allow_always"),
      option("no", "reject_once"),
      option("yes", "allow_once"),
    ),
  ).toEqual(["1 yes", "2 ever", "3 no"]);
});

it("3 rejects also where nothing can be allowed for always (C3)", () => {
  expect(keysOf(option("no", "reject_once"), option("yes", "allow_once"))).toEqual([
    "1 yes",
    "3 no",
  ]);
  expect(keysOf(option("never", "reject_always"))).toEqual(["3 never"]);
});

it("all other options come after these, in the order of the agent", () => {
  expect(
    keysOf(
      option("plan", "other"),
      option("never", "reject_always"),
      option("yes", "allow_once"),
      option("yes, too", "allow_once"),
      option("no", "reject_once"),
    ),
  ).toEqual(["1 yes", "3 no", "4 plan", "5 never", "6 yes, too"]);
});

it("options that neither allow nor reject are counted from 1", () => {
  expect(keysOf(option("red", "other"), option("blue", "other"))).toEqual(["1 red", "2 blue"]);
});

it("the kind of an option decides its tone, including unknown kinds", () => {
  expect(
    ["allow_once", "allow_always", "reject_once", "reject_forever", "ask"].map(toneOf),
  ).toEqual(["allow", "allow", "reject", "reject", "other"]);
});

it("for always, the scope that Holdfast applies comes before the agent's words (C3)", () => {
  const words = (kind: string) =>
    optionsIn({ options: [{ optionId: "a", name: "Allow all edits", kind }] }).map((each) =>
      optionWords(each, "edits of a.ts"),
    );
  expect([...words("allow_always"), ...words("reject_always"), ...words("allow_once")]).toEqual([
    { text: "Always allow edits of a.ts in this session", ofAgent: "Allow all edits" },
    { text: "Always reject edits of a.ts in this session", ofAgent: "Allow all edits" },
    { text: "Allow all edits", ofAgent: null },
  ]);
  expect(words("other_always")).toEqual([{ text: "Allow all edits", ofAgent: null }]);
});
