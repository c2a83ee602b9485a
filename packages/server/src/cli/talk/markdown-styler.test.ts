import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMarkdownStyler } from "./markdown-styler.ts";
import { createPaint, type Paint } from "../terminal/paint.ts";

const tag =
  (name: string) =>
  (text: string): string =>
    text === "" ? "" : `<${name}>${text}</${name}>`;

/** Says in words what would be painted. */
const TAGS: Paint = {
  ...createPaint({ colour: false }),
  isPlain: false,
  bold: tag("b"),
  dim: tag("d"),
  italic: tag("i"),
  underline: tag("u"),
  strikethrough: tag("s"),
  cyan: tag("c"),
};

function inPieces(pieces: readonly string[]): string {
  const styler = createMarkdownStyler(TAGS);
  return pieces.map(styler.push).join("") + styler.end();
}

const styled = (text: string): string => inPieces([text]);

/** What is painted in two pieces looks like one. */
const joined = (text: string): string => text.replaceAll(/<\/(\w)><\1>/gu, "");

const STYLED: readonly (readonly [string, string])[] = [
  ["# Title\ntext", "<d>#</d><b> Title</b>\ntext"],
  ["#no title", "#no title"],
  ["- one\n  * two\n12. three", "<c>-</c> one\n<c>  *</c> two\n<c>12.</c> three"],
  ["> said **so**", "<d>></d> said <b>so</b>"],
  [
    "a **b** *c* __d__ _e_ ***f*** ~~g~~",
    "a <b>b</b> <i>c</i> <b>d</b> <i>e</i> <b><i>f</i></b> <s>g</s>",
  ],
  ["use `a*b*` and ``c`d``", "use <c>a*b*</c> and <c>c`d</c>"],
  ["**bold `code*` on**", "<b>bold <c>code*</c> on</b>"],
  ["see [the docs](https://x.org/a_(b)) now", "see the docs<d> (https://x.org/a_(b))</d> now"],
  ["[https://x.org](https://x.org)", "<u>https://x.org</u>"],
  ["- [ ] open and [x] done", "<c>-</c> [ ] open and [x] done"],
  ["---\n***", "<d>---</d>\n<d>***</d>"],
  ["| a | **b** |\n|---|---|", "| a | **b** |\n|---|---|"],
  [
    "```ts\nconst a = **1**;\n# no title\n```\nout",
    "<d>```ts</d>\n<c>const a = **1**;</c>\n<c># no title</c>\n<d>```</d>\nout",
  ],
  ["~~~\n```\n~~~", "<d>~~~</d>\n<c>```</c>\n<d>~~~</d>"],
  ["*a `b* c` d*", "<i>a <c>b* c</c> d</i>"],
  ["````\n```\n````\n_a_", "<d>````</d>\n<c>```</c>\n<d>````</d>\n<i>a</i>"],
  [
    "```\na\n```js\n``\n```  \n*c*",
    "<d>```</d>\n<c>a</c>\n<c>```js</c>\n<c>``</c>\n<d>```  </d>\n<i>c</i>",
  ],
  ["```\nnever closed", "<d>```</d>\n<c>never closed</c>"],
];

describe("Markdown on a terminal", () => {
  it.each(STYLED)("styles %j", (text, expected) => {
    expect(styled(text)).toBe(expected);
  });

  it.each([
    "2 * 3 * 4 and 2*3*4",
    "src/**/*.ts and lib/**/*.js",
    "snake_case_name and __init",
    "an open **bold",
    "an open `code",
    "an open [link](https://x",
    "C:\\dir\\file",
    "a * b",
  ])("leaves %j as it is", (text) => {
    expect(styled(text)).toBe(text);
  });

  it("drops the backslash before an escaped marker", () => {
    expect(styled(String.raw`\*no\* \`no\` \_no\_ \[no\](x)`)).toBe("*no* `no` _no_ [no](x)");
  });

  it("shows text as it arrives and holds back only undecided text", () => {
    const styler = createMarkdownStyler(TAGS);
    expect(
      ["Hel", "lo *", "you", "* and `", "x", "` [a", "](b)", " 1.", "\n1", ". one"].map(
        styler.push,
      ),
    ).toEqual([
      "Hel",
      "lo ",
      "",
      "<i>you</i> and ",
      "",
      "<c>x</c> ",
      "a<d> (b)</d>",
      " 1.",
      "\n",
      "<c>1.</c> one",
    ]);
  });

  it("searches the end of a marker only within a limit", () => {
    const far = `**${"a".repeat(500)}`;
    const styler = createMarkdownStyler(TAGS);
    expect(styler.push(far)).toBe(far);
  });

  it("changes nothing without colour", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (pieces) => {
        const styler = createMarkdownStyler(createPaint({ colour: false }));
        expect(pieces.map(styler.push).join("") + styler.end()).toBe(pieces.join(""));
      }),
    );
  });

  it("gives the same result in two pieces and character by character", () => {
    for (const [text, expected] of STYLED) {
      for (let at = 1; at <= text.length; at += 1)
        expect(joined(inPieces([text.slice(0, at), text.slice(at)]))).toBe(expected);
      expect(joined(inPieces(text.split("")))).toBe(expected);
    }
  });

  it("gives the same result for all ways to split the text", () => {
    const word = fc.constantFrom(
      ..."* ** *** _ __ ` `` ``` ~~ ~~~ [ ]( ) [x](y) \\ # - + 1. > | a b/ 漢 é".split(" "),
      " ",
      "\n",
      "   ",
      "a".repeat(150),
    );
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 40 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
        (words, lengths) => {
          const text = words.join("");
          const pieces: string[] = [];
          for (let at = 0; at < text.length;) {
            const length = lengths.next().value;
            pieces.push(text.slice(at, at + length));
            at += length;
          }
          expect(joined(inPieces(pieces))).toBe(joined(styled(text)));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
