import type { MarkedToken } from "marked";
import type { ReactElement, ReactNode } from "react";
import { decodeEntities } from "./decode-entities.ts";
import { ownTokens } from "./lex-blocks.ts";
import { safeUrl } from "./safe-url.ts";

/** The inline content of a block. HTML is shown as text. */
export function Inline({ tokens }: { readonly tokens: readonly MarkedToken[] }): ReactElement {
  return <>{tokens.map((token, index) => inlineToken(token, index))}</>;
}

function inlineToken(token: MarkedToken, key: number): ReactNode {
  switch (token.type) {
    case "text":
      return token.tokens === undefined ? (
        decodeEntities(token.text)
      ) : (
        <Inline key={key} tokens={ownTokens(token.tokens)} />
      );
    case "escape":
    case "html":
      return token.text;
    case "strong":
    case "em":
    case "del": {
      const Tag = token.type;
      return (
        <Tag key={key}>
          <Inline tokens={ownTokens(token.tokens)} />
        </Tag>
      );
    }
    case "codespan":
      return <code key={key}>{token.text}</code>;
    case "br":
      return <br key={key} />;
    case "checkbox":
      return (
        <input
          key={key}
          type="checkbox"
          checked={token.checked}
          disabled
          readOnly
          aria-label={token.checked ? "Done" : "To do"}
        />
      );
    case "link":
      return (
        <OutLink key={key} address={token.href} title={token.title ?? null}>
          <Inline tokens={ownTokens(token.tokens)} />
        </OutLink>
      );
    case "image":
      return (
        <OutLink key={key} address={token.href} title={token.title}>
          {token.text === "" ? token.href : token.text}
        </OutLink>
      );
    default:
      return token.raw;
  }
}

/** An external link. Images of other hosts are links too: they are never fetched. */
export function OutLink({
  address,
  title,
  children,
}: {
  readonly address: string;
  readonly title: string | null;
  readonly children: ReactNode;
}): ReactElement {
  const href = safeUrl(decodeEntities(address));
  if (href === null) return <span title={address}>{children}</span>;
  return (
    <a href={href} title={title ?? href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
