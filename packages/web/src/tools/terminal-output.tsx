import { memo, useMemo, type ReactElement } from "react";
import { ansiSpans } from "./ansi-spans.ts";
import { Clamped } from "./clamped.tsx";

const SHOWN_LINES = 40;

/** What a program has written, in its colours; of much of it the end. */
export const TerminalOutput = memo(function TerminalOutput({
  text,
  exit,
}: {
  readonly text: string;
  readonly exit: string | null;
}): ReactElement {
  return (
    <div className="terminal">
      {text.trim() !== "" && (
        <Clamped text={text.trimEnd()} lines={SHOWN_LINES} end>
          {(shown) => <Spans text={shown} />}
        </Clamped>
      )}
      {exit !== null && <p className="terminal-exit">{exit}</p>}
    </div>
  );
});

function Spans({ text }: { readonly text: string }): ReactElement {
  const spans = useMemo(() => ansiSpans(text), [text]);
  return (
    <pre className="code-text">
      {spans.map(({ text: piece, classes }, index) =>
        classes === "" ? (
          piece
        ) : (
          <span key={index} className={classes}>
            {piece}
          </span>
        ),
      )}
    </pre>
  );
}
