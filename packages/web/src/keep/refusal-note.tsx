import type { ReactElement } from "react";
import type { Refusal } from "./refusal.ts";

/** Says why something was not done, with the output of the program that refused it. */
export function RefusalNote({ refusal }: { readonly refusal: Refusal }): ReactElement {
  const { text, advice, output } = refusal;
  return (
    <div role="alert" className="flex flex-col gap-1.5 rounded-md bg-danger-soft px-3 py-2">
      <p className="text-danger wrap-anywhere">{text}</p>
      {output !== null && (
        <pre
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it is scrolled with keys
          tabIndex={0}
          className="max-h-48 overflow-auto rounded bg-surface px-2 py-1.5 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
        >
          {output}
        </pre>
      )}
      {advice !== null && <p className="text-xs">{advice}</p>}
    </div>
  );
}
