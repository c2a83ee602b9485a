import { describe, expect, it } from "vitest";
import { mentionAt, withMention } from "./mention.ts";

/** The caret is where the bar is. */
function at(marked: string) {
  return { text: marked.replace("|", ""), caret: marked.indexOf("|") };
}

describe("a file mention", () => {
  it.each([
    ["@|", "", 0],
    ["@src/pa|", "src/pa", 0],
    ["see @re|", "re", 4],
    ["see\n@re| and", "re", 4],
    ["(@a|)", "a", 1],
    ["look at `@a.ts|`", "a.ts", 9],
    ["@re|adme", "re", 0],
  ])("in %j has the query %j", (marked, query, start) => {
    const { text, caret } = at(marked);
    expect(mentionAt(text, caret)).toEqual({ query, start });
  });

  it.each(["|", "me@example.org|", "@a |", "|@a", "a@|", "@@|", '@"a|'])(
    "does not exist in %j",
    (marked) => {
      const { text, caret } = at(marked);
      expect(mentionAt(text, caret)).toBeNull();
    },
  );

  it.each([
    ["@pa|", "src/parse.ts", "@src/parse.ts |"],
    ["see @pa| now", "a.ts", "see @a.ts |now"],
    ["see @pa|rse now", "a.ts", "see @a.ts |now"],
    ["(@pa|)", "a.ts", "(@a.ts|)"],
    ["@|", "my notes.md", '@"my notes.md" |'],
    ["@a|, then", "b.ts", "@b.ts|, then"],
  ])("in %j becomes %j: %j", (marked, path, expected) => {
    const { text, caret } = at(marked);
    const mention = mentionAt(text, caret);
    if (mention === null) throw new Error("nothing is being named");
    const done = withMention(text, { mention, path });
    expect(`${done.text.slice(0, done.caret)}|${done.text.slice(done.caret)}`).toBe(expected);
  });
});
