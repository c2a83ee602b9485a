import { memo, type ReactElement, useMemo } from "react";
import { ansiSpans } from "./ansi-spans.ts";
import { Clamped } from "./clamped.tsx";
import { lastLines, type ToolItem } from "./tool-call.ts";

const SHOWN_LINES = 40;
/** While the command runs and its call is folded. */
const LIVE_LINES = 8;

type Terminal = Omit<Extract<ToolItem, { item: "terminal" }>, "item">;

/** The output of a program in its colours; the end of a long one. */
export const TerminalOutput = memo(function TerminalOutput({
  text,
  exit,
  omitted,
}: Terminal): ReactElement {
  const facts = [
    ...(exit === null ? [] : [exit]),
    ...(omitted === 0 ? [] : [`${omitted.toLocaleString("en")} bytes left out`]),
  ];
  return (
    <div className="terminal">
      {text.trim() !== "" && (
        <Clamped text={text.trimEnd()} lines={SHOWN_LINES} end>
          {(shown) => <Spans text={shown} />}
        </Clamped>
      )}
      {facts.length > 0 && <p className="terminal-exit">{facts.join(" · ")}</p>}
    </div>
  );
});

/** The last lines of a command that runs. */
export const LiveOutput = memo(function LiveOutput({ text }: Pick<Terminal, "text">): ReactElement {
  return (
    <div className="terminal terminal-live">
      <Spans text={lastLines(text.trimEnd(), LIVE_LINES)} />
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
