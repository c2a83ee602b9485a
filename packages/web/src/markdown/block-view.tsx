import type { MarkedToken, Tokens } from "marked";
import { lazy, memo, type ReactElement, Suspense, useMemo } from "react";
import { Inline } from "./inline.tsx";
import { type Block, ownTokens } from "./lex-blocks.ts";
import { CodeLines } from "./code-lines.tsx";
import { CopyButton } from "./copy-button.tsx";
import { grammarOf } from "./languages.ts";
import { useHighlight } from "./use-highlight.tsx";

export interface BlockViewProps {
  readonly block: Block;
  /** The identity of its text. */
  readonly textKey: string;
  /** The last block of a growing text: open syntax counts as closed. */
  readonly live?: boolean;
  /** The shown lines of long code. */
  readonly from?: number;
  readonly to?: number;
}

/** Loaded while text grows; until then the text is shown unchanged. */
const LiveTokens = lazy(() =>
  import("./live-tokens.tsx").then((module) => ({ default: module.LiveTokens })),
);

/** Renders a Markdown block as elements, never as HTML. */
export const BlockView = memo(function BlockView({
  block: { token, raw, start },
  textKey,
  live = false,
  from = 0,
  to = Infinity,
}: BlockViewProps): ReactElement {
  const path = `${textKey}@${start}`;
  if (token.type === "code") {
    return (
      <CodeBlock
        codeKey={path}
        code={token.text}
        lang={token.lang ?? ""}
        live={live}
        from={from}
        to={to}
      />
    );
  }
  const asItIs = <Tokens tokens={[token]} path={path} />;
  if (!live) return asItIs;
  return (
    <Suspense fallback={asItIs}>
      <LiveTokens raw={raw}>{(tokens) => <Tokens tokens={tokens} path={path} />}</LiveTokens>
    </Suspense>
  );
});

function Tokens({
  tokens,
  path,
}: {
  readonly tokens: readonly MarkedToken[];
  readonly path: string;
}): ReactElement {
  return (
    <>
      {tokens.map((token, index) => (
        <TokenView key={index} token={token} path={`${path}.${index}`} />
      ))}
    </>
  );
}

function TokenView({
  token,
  path,
}: {
  readonly token: MarkedToken;
  readonly path: string;
}): ReactElement | null {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      // One level for all: the agent's heading levels do not fit the outline of the page.
      return (
        <h2 data-depth={token.depth}>
          <Inline tokens={ownTokens(token.tokens)} />
        </h2>
      );
    case "paragraph":
      return (
        <p>
          <Inline tokens={ownTokens(token.tokens)} />
        </p>
      );
    case "code":
      return <CodeBlock codeKey={path} code={token.text} lang={token.lang ?? ""} live={false} />;
    case "blockquote":
      return (
        <blockquote>
          <Tokens tokens={ownTokens(token.tokens)} path={path} />
        </blockquote>
      );
    case "list":
      return <ListView list={token} path={path} />;
    case "table":
      return <TableView table={token} />;
    case "hr":
      return <hr />;
    case "html":
      return <p className="raw-html">{token.text.trimEnd()}</p>;
    default:
      return <Inline tokens={[token]} />;
  }
}

function ListView({
  list: { ordered, start, items },
  path,
}: {
  readonly list: Tokens.List;
  readonly path: string;
}): ReactElement {
  const rows = items.map(({ tokens, task }, index) => (
    <li key={index} data-task={task || undefined}>
      <Tokens tokens={ownTokens(tokens)} path={`${path}.${index}`} />
    </li>
  ));
  return ordered ? <ol start={start === "" ? 1 : start}>{rows}</ol> : <ul>{rows}</ul>;
}

function TableView({ table: { header, rows } }: { readonly table: Tokens.Table }): ReactElement {
  return (
    // A wide table scrolls sideways, also with the keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className="table-frame" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>{header.map(toCell)}</tr>
        </thead>
        <tbody>
          {rows.map((cells, index) => (
            <tr key={index}>{cells.map(toCell)}</tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function toCell({ tokens, header, align }: Tokens.TableCell, index: number): ReactElement {
  const Tag = header ? "th" : "td";
  return (
    <Tag key={index} scope={header ? "col" : undefined} data-align={align ?? undefined}>
      <Inline tokens={ownTokens(tokens)} />
    </Tag>
  );
}

interface CodeBlockProps {
  /** The identity of the code, stable while it grows. */
  readonly codeKey: string;
  readonly code: string;
  readonly lang: string;
  /** Whether the last line can still grow. */
  readonly live: boolean;
  /** Long code is shown in parts: the first line… */
  readonly from?: number;
  /** …and the end, exclusive. */
  readonly to?: number;
}

const CodeBlock = memo(function CodeBlock({
  codeKey,
  code,
  lang,
  live,
  from = 0,
  to = Infinity,
}: CodeBlockProps): ReactElement {
  const lines = useMemo(() => code.split("\n"), [code]);
  const shown = useMemo(() => lines.slice(from, to), [lines, from, to]);
  const whole = useMemo(
    () => lines.slice(0, Math.min(to, live ? lines.length - 1 : lines.length)),
    [lines, to, live],
  );
  const known = useHighlight(codeKey, { grammar: grammarOf(lang), lines: whole });
  const isFirst = from === 0;
  const isLast = to >= lines.length;
  return (
    <div className="code-block" data-first={isFirst} data-last={isLast}>
      {isFirst && (
        <div className="code-head">
          <span>{lang.trim().split(/\s/u)[0] || "text"}</span>
          <CopyButton label="Copy code" text={() => code} />
        </div>
      )}
      <pre>
        <code>
          <CodeLines lines={shown} from={from} known={known} />
        </code>
      </pre>
    </div>
  );
});
