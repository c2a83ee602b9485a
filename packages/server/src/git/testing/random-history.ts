import fc from "fast-check";

/** Names of files, as bytes: one character for each. Some are in folders, some are hard to write in a shell. */
const NAMES: readonly string[] = [
  "a.txt",
  "b.txt",
  "dir/c.txt",
  "dir/sub/d.txt",
  "dir/sub/deep/e.sh",
  "swap",
  "swap/in.txt",
  "swap/more/in.txt",
  "x.log",
  "dir/y.log",
  "out/z.txt",
  bytes("ünï-日本.txt"),
  "new\nline",
  'quo"te',
  "-dash",
  "--all",
  ":colon",
  ":(glob)*",
  "[ab]*?",
  " sp ace ",
  "tab\there",
  "back\\slash",
  "\xff\xfe.txt",
  "dir/\xe9t\xe9",
  "n".repeat(255),
];

const CONTENTS: readonly string[] = [
  "",
  "one\n",
  "two\n",
  "one\ntwo\nthree\nfour\nfive\n",
  "one\ntwo\nTHREE\nfour\nfive\n",
  "one\r\ntwo\r\n",
  "one\r\ntwo\n",
  "no newline",
  "\0binary\xff",
  "latin \xe9\n",
  "line\n".repeat(20_000),
];

const RULES: readonly string[] = [
  "",
  "*.log\n",
  "*.log\n!x.log\n",
  "/out/\n",
  "sub\n",
  "*.txt\n",
  "/swap\n\xff*\n",
];

const ATTRIBUTES: readonly string[] = [
  "",
  "* text=auto\n",
  "*.txt text eol=crlf\n",
  "*.txt -text\n*.log binary\n",
  "* text=auto eol=lf\n*.txt diff=odd merge=odd filter=odd ident\n",
];

const name = fc.constantFrom(...NAMES);
const content = fc.constantFrom(...CONTENTS);
const folder = fc.constantFrom("", "dir/", "dir/sub/", "swap/");
const nest = fc.constantFrom("nest", "dir/nest", "out/nest");

/** A change of the working files, a command of the user, or something that Holdfast does. */
export const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("write" as const), name, content }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("edit" as const), name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("remove" as const), name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("rename" as const), name, to: name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("toggle_exec" as const), name }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("link" as const),
      name: fc.oneof(name, fc.constantFrom("dir", "dir/sub", "out")),
      to: fc.constantFrom("a.txt", "dir", "nowhere", "..", "\xff"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("rules" as const),
      folder,
      text: fc.constantFrom(...RULES),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("exclude" as const),
      text: fc.constantFrom(...RULES),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("attributes" as const),
      folder,
      text: fc.constantFrom(...ATTRIBUTES),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("setting" as const),
      setting: fc.constantFrom(
        ["core.autocrlf", "true"] as const,
        ["core.autocrlf", "input"] as const,
        ["core.autocrlf", "false"] as const,
        ["core.eol", "crlf"] as const,
        ["core.fileMode", "false"] as const,
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("nest" as const),
      folder: fc.oneof(nest, fc.constantFrom("swap", "a.txt")),
      commits: fc.nat(2),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove_nest" as const), folder: nest }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("user" as const),
      command: fc.constantFrom(
        "add",
        "add_some",
        "force_add",
        "intend",
        "commit",
        "assume",
        "skip",
        "unmerged",
        "detach",
        "reset",
        "uncache",
        "stash",
        "status",
      ),
      name,
    }),
  },
  { weight: 9, arbitrary: fc.record({ do: fc.constant("snapshot" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("restore" as const),
      /** Which of the earlier snapshots, and between which of them others changed files. */
      target: fc.nat(100),
      gaps: fc.array(fc.nat(100), { maxLength: 2 }),
      force: fc.boolean(),
    }),
  },
);

export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

export const history = fc.record({
  isLinked: fc.boolean(),
  steps: fc.array(step, { maxLength: 35, size: "max" }),
});

function bytes(text: string): string {
  return Buffer.from(text).toString("latin1");
}
