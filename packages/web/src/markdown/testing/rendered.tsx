import type { ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { BlockView } from "../block-view.tsx";
import { LiveTokens } from "../live-tokens.tsx";
import { Markdown } from "../markdown.tsx";
import { plainText } from "../plain-text.ts";

/** The elements of the page for a text, as HTML. */
function rendered(text: string): string {
  return renderToStaticMarkup(<Markdown text={text} textKey="t" />);
}

/** The same for a text that still grows. */
function renderedLive(raw: string): string {
  return renderToStaticMarkup(<LiveTokens raw={raw}>{(tokens) => tokens.map(viewOf)}</LiveTokens>);
}

type Token = Parameters<typeof BlockView>[0]["block"]["token"];

function viewOf(token: Token, start: number): ReactElement {
  return <BlockView key={start} block={{ start, raw: token.raw, token }} textKey="t" />;
}

/** What the page makes of a text: HTML, or text for the clipboard. */
export const OUTPUTS = { rendered, renderedLive, plainText } as const;

const TAGS: ReadonlySet<string> = new Set(
  (
    "div p h2 blockquote ol ul li section table thead tbody tr th td hr br pre code span strong em del " +
    "a input button svg path rect"
  ).split(" "),
);
const ATTRIBUTES: ReadonlySet<string> = new Set(
  (
    "class href title target rel start data-depth data-task data-align data-first data-last scope aria-label aria-hidden " +
    "tabindex type checked disabled readOnly xmlns width height viewBox fill stroke stroke-width stroke-linecap " +
    "stroke-linejoin d x y rx ry"
  ).split(" "),
);
const TAG = /<(\/?)([a-zA-Z][^\s/>]*)((?:\s+[^\s=>/]+(?:="[^"]*")?)*)\s*\/?>/gu;
const ATTRIBUTE = /([^\s=]+)(?:="([^"]*)")?/gu;
const SAFE_ADDRESS = /^(?:https?:\/\/|mailto:)/u;

/** Something in the HTML that is not made by the page itself; null if there is nothing. */
export function foreignIn(html: string): string | null {
  if (html.replaceAll(TAG, "").includes("<")) return "a broken tag";
  for (const [, , name = "", attributes = ""] of html.matchAll(TAG)) {
    if (!TAGS.has(name)) return `the element ${name}`;
    for (const [, attribute = "", value = ""] of attributes.matchAll(ATTRIBUTE)) {
      if (!ATTRIBUTES.has(attribute)) return `the attribute ${attribute} of ${name}`;
      if (attribute === "href" && !SAFE_ADDRESS.test(value)) return `the address ${value}`;
    }
  }
  return null;
}
