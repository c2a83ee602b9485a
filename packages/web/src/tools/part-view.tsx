import { Paperclip } from "lucide-react";
import type { ReactElement } from "react";
import { OutLink } from "../markdown/inline.tsx";
import { safeUrl } from "../markdown/safe-url.ts";
import { Clamped } from "./clamped.tsx";

/** Image formats without active content. */
const IMAGES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/u;
const SHOWN_LINES = 30;

/** Non-text content: an image, a file or a link. */
export function PartView({
  content,
}: {
  readonly content: Readonly<Record<string, unknown>>;
}): ReactElement {
  const { type, text } = content;
  const name = nameOf(content);
  const image = imageOf(content);
  if (image !== null) return <img className="part-image" src={image} alt={name} />;
  const uri = typeof content["uri"] === "string" ? content["uri"] : null;
  return (
    <div className="part">
      <p className="part-name">
        <Paperclip aria-hidden size={14} />
        {uri !== null && safeUrl(uri) !== null ? (
          <OutLink address={uri} title={null}>
            {name}
          </OutLink>
        ) : (
          <span>{name}</span>
        )}
        <span className="part-type">{typeof type === "string" ? type : "unknown"}</span>
        {typeof content["leftOut"] === "number" && <span>too large to keep</span>}
      </p>
      {typeof text === "string" && text !== "" && (
        <Clamped text={text} lines={SHOWN_LINES}>
          {(shown) => <pre className="code-text part-text">{shown}</pre>}
        </Clamped>
      )}
    </div>
  );
}

function nameOf({ title, name, uri, mimeType }: Readonly<Record<string, unknown>>): string {
  for (const each of [title, name, uri, mimeType]) {
    if (typeof each === "string" && each !== "") return each;
  }
  return "Attachment";
}

function imageOf({ type, mimeType, data }: Readonly<Record<string, unknown>>): string | null {
  const isImage = type === "image" && typeof mimeType === "string" && IMAGES.has(mimeType);
  return isImage && typeof data === "string" && BASE64.test(data)
    ? `data:${mimeType};base64,${data}`
    : null;
}
