import {
  createCssVariablesTheme,
  createHighlighterCore,
  type GrammarState,
  type HighlighterCore,
  type LanguageInput,
  type ThemedToken,
} from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import type { CodeLine, HighlightReply, HighlightRequest } from "./highlight-messages.ts";
import type { GrammarName } from "./languages.ts";
import { patiently } from "./patiently.ts";

const THEME = "holdfast";
const PREFIX = "--";
/** Longer lines are data and not worth highlighting. */
const MAX_LINE = 2_000;

const GRAMMARS: ReadonlyMap<string, LanguageInput> = new Map(
  Object.entries({
    bash: () => import("shiki/langs/bash.mjs"),
    c: () => import("shiki/langs/c.mjs"),
    cpp: () => import("shiki/langs/cpp.mjs"),
    css: () => import("shiki/langs/css.mjs"),
    diff: () => import("shiki/langs/diff.mjs"),
    go: () => import("shiki/langs/go.mjs"),
    html: () => import("shiki/langs/html.mjs"),
    java: () => import("shiki/langs/java.mjs"),
    javascript: () => import("shiki/langs/javascript.mjs"),
    json: () => import("shiki/langs/json.mjs"),
    markdown: () => import("shiki/langs/markdown.mjs"),
    python: () => import("shiki/langs/python.mjs"),
    rust: () => import("shiki/langs/rust.mjs"),
    sql: () => import("shiki/langs/sql.mjs"),
    toml: () => import("shiki/langs/toml.mjs"),
    tsx: () => import("shiki/langs/tsx.mjs"),
    typescript: () => import("shiki/langs/typescript.mjs"),
    yaml: () => import("shiki/langs/yaml.mjs"),
  } satisfies Record<GrammarName, LanguageInput>),
);

/** The grammar state of each code block. */
const states = new Map<number, GrammarState>();

const opening: Promise<HighlighterCore> = createHighlighterCore({
  themes: [createCssVariablesTheme({ name: THEME, variablePrefix: PREFIX })],
  langs: [],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
});

let work: Promise<void> = Promise.resolve();

self.addEventListener("message", ({ data }: MessageEvent<HighlightRequest>) => {
  work = work.then(() => take(data)).catch(() => undefined);
});

/** Without a reply the code stays plain. */
async function take(request: HighlightRequest): Promise<void> {
  if ("forget" in request) {
    states.delete(request.code);
    return;
  }
  const { code, grammar, from, lines } = request;
  const load = GRAMMARS.get(grammar);
  if (load === undefined) return;
  const highlighter = await opening;
  if (!highlighter.getLoadedLanguages().includes(grammar)) await highlighter.loadLanguage(load);
  const grammarState = states.get(code);
  const tokens = patiently((tokenizeTimeLimit) =>
    highlighter.codeToTokensBase(lines.join("\n"), {
      lang: grammar,
      theme: THEME,
      tokenizeMaxLineLength: MAX_LINE,
      tokenizeTimeLimit,
      ...(grammarState === undefined ? {} : { grammarState }),
    }),
  );
  const state = highlighter.getLastGrammarState(tokens);
  if (state !== undefined) states.set(code, state);
  const reply: HighlightReply = { code, from, lines: tokens.map(toLine) };
  self.postMessage(reply);
}

/** Merges neighbours of one kind and blanks into one token, to keep the DOM small. */
function toLine(tokens: readonly ThemedToken[]): CodeLine {
  const line: [string, string][] = [];
  for (const { content, color } of tokens) {
    const kind = kindOf(color);
    const last = line.at(-1);
    if (last !== undefined && (last[1] === kind || content.trim() === "")) last[0] += content;
    else line.push([content, kind]);
  }
  return line;
}

/** The theme names variables, such as `var(--token-keyword)`. */
function kindOf(color: string | undefined): string {
  return /^var\(--token-([a-z-]+)/u.exec(color ?? "")?.[1] ?? "";
}
