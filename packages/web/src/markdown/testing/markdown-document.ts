import fc from "fast-check";

const word = fc.constantFrom(
  ..."the build fails because a linker cannot find its library so we add it again and run".split(
    " ",
  ),
  "`code`",
  "**bold**",
  "*em*",
  "~~gone~~",
  "[link](https://example.org/a_b)",
  "https://example.org/x?y=1",
  "![picture](https://example.org/p.png)",
  "<br>",
  "&amp;",
  "snake_case_name",
  "2 * 3",
  "a|b",
  "1.",
  "-",
  "#",
  "\\*",
);

const line = fc.array(word, { minLength: 1, maxLength: 14 }).map((words) => words.join(" "));
const lines = fc.array(line, { minLength: 1, maxLength: 5 });
const sentence = line.map((words) => `So ${words}.`);

const paragraph = fc
  .array(sentence, { minLength: 1, maxLength: 5 })
  .map((sentences) => sentences.join("\n"));
const heading = fc
  .record({ depth: fc.integer({ min: 1, max: 6 }), line: sentence })
  .map(({ depth, line: words }) => `${"#".repeat(depth)} ${words}`);
const underlined = sentence.map((words) => `${words}\n${"=".repeat(words.length)}`);
const code = fc
  .record({
    fence: fc.constantFrom("```", "~~~", "````"),
    lang: fc.constantFrom("", "ts", "python", "sh title=x"),
    lines: fc.array(
      fc.oneof(line, fc.constantFrom("", "  indented", "- no list", "# no heading")),
      {
        maxLength: 12,
      },
    ),
  })
  .map(({ fence, lang, lines: body }) => [`${fence}${lang}`, ...body, fence].join("\n"));
const indented = fc
  .array(sentence, { minLength: 1, maxLength: 4 })
  .map((body) => body.map((each) => `    ${each}`).join("\n"));
const bullets = fc
  .record({
    marker: fc.constantFrom("-", "*", "+"),
    gap: fc.constantFrom("\n", "\n\n"),
    items: fc.array(fc.record({ text: sentence, inner: fc.boolean(), task: fc.boolean() }), {
      minLength: 1,
      maxLength: 6,
    }),
  })
  .map(({ marker, gap, items }) =>
    items
      .map(({ text, inner, task }) =>
        [`${marker} ${task ? "[x] " : ""}${text}`, ...(inner ? [`  ${marker} ${text}`] : [])].join(
          "\n",
        ),
      )
      .join(gap),
  );
const numbers = fc
  .record({
    gap: fc.constantFrom("\n", "\n\n"),
    items: fc.array(sentence, { minLength: 1, maxLength: 12 }),
  })
  .map(({ gap, items }) => items.map((text, index) => `${index + 1}. ${text}`).join(gap));
const quote = lines.map((body) => body.map((each) => `> ${each}`).join("\n"));
const table = fc
  .array(fc.tuple(fc.constantFrom("a", "`b`", "**c**"), fc.nat()), { minLength: 1, maxLength: 8 })
  .map((rows) =>
    [
      "| Name | Value |",
      "| --- | ---: |",
      ...rows.map(([name, value]) => `| ${name} | ${value} |`),
    ].join("\n"),
  );
const html = sentence.map((words) => `<div align="center">\n${words}\n</div>`);
const rule = fc.constantFrom("---", "***");

const block = fc.oneof(
  { arbitrary: paragraph, weight: 5 },
  { arbitrary: code, weight: 3 },
  { arbitrary: bullets, weight: 2 },
  { arbitrary: numbers, weight: 2 },
  heading,
  underlined,
  indented,
  quote,
  table,
  html,
  rule,
);

/** A text such as agents write: all kinds of blocks, one after the other. */
export const markdownDocument = fc
  .array(fc.tuple(block, fc.constantFrom("\n\n", "\n\n", "\n\n\n")), {
    minLength: 1,
    maxLength: 20,
  })
  .map((blocks) => blocks.map(([text, gap]) => text + gap).join(""));
