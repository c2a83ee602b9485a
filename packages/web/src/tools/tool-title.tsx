import { Fragment, type ReactElement } from "react";
import { titleParts } from "./tool-call.ts";

/** The title of a tool call; what agents put between backticks is code. */
export function ToolTitle({ title }: { readonly title: string }): ReactElement {
  return (
    <>
      {titleParts(title).map(({ text, isCode }, index) =>
        isCode ? <code key={index}>{text}</code> : <Fragment key={index}>{text}</Fragment>,
      )}
    </>
  );
}
