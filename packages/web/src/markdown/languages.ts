/** The grammars by language name and alias. */
const GRAMMARS = new Map(
  Object.entries({
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
  } satisfies Record<GrammarName, readonly string[]>).flatMap(([name, others]) =>
    [name, ...others].map((each) => [each, name] as const),
  ),
);

export type GrammarName =
  | "bash"
  | "c"
  | "cpp"
  | "css"
  | "diff"
  | "go"
  | "html"
  | "java"
  | "javascript"
  | "json"
  | "markdown"
  | "python"
  | "rust"
  | "sql"
  | "toml"
  | "tsx"
  | "typescript"
  | "yaml";

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
