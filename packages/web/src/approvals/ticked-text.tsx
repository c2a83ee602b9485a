import type { ReactElement } from "react";

const CODE = /`([^`\n]+)`/u;

/** A line of an agent with its code between backticks. */
export function TickedText({ text }: { readonly text: string }): ReactElement {
  return (
    <>
      {text.split(CODE).map((part, index) =>
        index % 2 === 1 ? (
          <code key={index} className="rounded bg-sunken px-1 font-mono text-[0.95em]">
            {part}
          </code>
        ) : (
          part
        ),
      )}
    </>
  );
}
