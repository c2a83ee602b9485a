import { memo, type ReactElement, useMemo } from "react";
import "./markdown.css";
import { BlockView } from "./block-view.tsx";
import { lexBlocks, normalLines } from "./lex-blocks.ts";

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
