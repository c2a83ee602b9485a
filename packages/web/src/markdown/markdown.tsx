import { memo, useMemo, type ReactElement } from "react";
import "./markdown.css";
import { BlockView } from "./block-view.tsx";
import { lexBlocks } from "./lex-blocks.ts";
import { normalLines } from "./normal-lines.ts";

/** A whole Markdown text. */
export const Markdown = memo(function Markdown({
  text,
  textKey,
}: {
  readonly text: string;
  readonly textKey: string;
}): ReactElement {
  const blocks = useMemo(() => lexBlocks(normalLines(text)), [text]);
  return (
    <div className="markdown">
      {blocks.map((block) => (
        <BlockView key={block.start} block={block} textKey={textKey} />
      ))}
    </div>
  );
});
