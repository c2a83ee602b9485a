/** The aliases of each grammar. */
const ALIASES = {
  bash: ["sh", "shell", "shellscript", "zsh", "console", "shellsession"],
  c: ["h"],
  cpp: ["c++", "cc", "cxx", "hpp", "hxx"],
  css: [],
  diff: ["patch"],
  go: ["golang"],
  html: ["htm", "xml", "svg", "vue"],
  java: [],
  javascript: ["js", "mjs", "cjs"],
  json: ["jsonc", "json5", "jsonl", "ndjson"],
  markdown: ["md", "mdx"],
  python: ["py", "python3"],
  rust: ["rs"],
  sql: ["postgresql", "sqlite", "mysql"],
  toml: [],
  tsx: ["jsx"],
  typescript: ["ts", "mts", "cts"],
  yaml: ["yml"],
} satisfies Record<string, readonly string[]>;

export type GrammarName = keyof typeof ALIASES;

/** The grammars by language name and alias. */
const GRAMMARS = new Map(
  Object.entries(ALIASES).flatMap(([name, aliases]) =>
    [name, ...aliases].map((each) => [each, name] as const),
  ),
);

/** Null for an unknown language, which is shown without colours. */
export function grammarOf(name: string): string | null {
  const [word = ""] = name
    .trim()
    .toLowerCase()
    .split(/[\s,{:]/u);
  return GRAMMARS.get(word) ?? null;
}

/** The grammar of a file extension. */
export function grammarOfPath(path: string): string | null {
  const name = path.split(/[/\\]/u).at(-1) ?? "";
  return name.includes(".") ? grammarOf(name.split(".").at(-1) ?? "") : null;
}
