import { expect, it } from "vitest";
import { plainText } from "./plain-text.ts";

it("plain text keeps all words and drops the Markdown syntax", () => {
  const markdown = [
    "# The *build*",
    "",
    "It **fails** in `main.c` &amp; elsewhere, see [the log](https://example.org/log)  ",
    "and <https://example.org>.",
    "",
    "1. First",
    "2. Then",
    "   - inner",
    "",
    "- [x] done",
    "- [ ] open",
    "",
    "> Quoted.",
    "",
    "```ts",
    "const a = b && c;",
    "```",
    "",
    "| a | b |",
    "| - | - |",
    "| `1` | 2 |",
  ].join("\r\n");
  expect(plainText(markdown)).toBe(
    [
      "The build",
      "",
      "It fails in main.c & elsewhere, see the log (https://example.org/log)",
      "and https://example.org.",
      "",
      "1. First",
      "2. Then",
      "   - inner",
      "",
      "- [x] done",
      "- [ ] open",
      "",
      "Quoted.",
      "",
      "const a = b && c;",
      "",
      "a\tb",
      "1\t2",
    ].join("\n"),
  );
});
