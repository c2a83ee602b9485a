import fc from "fast-check";

/** Pieces that begin, end or break the syntax of Markdown, HTML and addresses. */
const SIGNS = [
  ..."*_~`[]()<>!#|-+=:\\\"'&;/ \t\n\r".split(""),
  "**",
  "``",
  "```",
  "~~~",
  "![",
  "](",
  "]:",
  "[^",
  "<!--",
  "-->",
  "<a href=",
  "<?",
  "<![CDATA[",
  "- ",
  "1. ",
  "> ",
  "|-",
  "  \n",
  "\n\n",
  "    ",
  "&#x",
  "javascript:",
  "https://",
  "www.",
  "a@b.c",
  "onload=",
  "\u0000",
  "\u202E",
  "\uFEFF",
  "\uD800",
  "🦕",
  "a",
  "0",
] as const;

const piece = fc.constantFrom(...SIGNS);

const edit = fc.record({
  /** In thousandths of the text. */
  at: fc.nat({ max: 1_000 }),
  drop: fc.nat({ max: 30 }),
  put: fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join("")),
  times: fc.oneof({ arbitrary: fc.constant(1), weight: 6 }, { arbitrary: fc.nat(400), weight: 1 }),
});

/** A text of the corpus with some changes, or only signs. */
export function hostileMarkdown(corpus: readonly string[]): fc.Arbitrary<string> {
  const base = fc.oneof(
    { arbitrary: fc.constantFrom(...corpus), weight: 3 },
    { arbitrary: fc.array(piece, { maxLength: 60 }).map((all) => all.join("")), weight: 1 },
  );
  return fc.record({ base, edits: fc.array(edit, { maxLength: 8 }) }).map(({ base: text, edits }) =>
    edits.reduce((before, { at, drop, put, times }) => {
      const place = Math.floor((before.length * at) / 1_000);
      return before.slice(0, place) + put.repeat(times) + before.slice(place + drop);
    }, text),
  );
}

/** A text that can be made as long as one likes: each part follows a beginning of its own, and is repeated. */
export interface Growing {
  readonly parts: readonly { readonly once: string; readonly many: string }[];
  readonly end: string;
}

const few = (minLength: number): fc.Arbitrary<string> =>
  fc.array(piece, { minLength, maxLength: 4 }).map((pieces) => pieces.join(""));

export const growing: fc.Arbitrary<Growing> = fc.record({
  parts: fc.array(fc.record({ once: few(0), many: few(1) }), { minLength: 1, maxLength: 3 }),
  end: few(0),
});

export function grownTo({ parts, end }: Growing, length: number): string {
  const each = length / parts.length;
  return parts.map(({ once, many }) => once + many.repeat(each / many.length)).join("") + end;
}
