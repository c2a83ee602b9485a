import { memo, type ReactElement, useMemo, useState } from "react";
import { CopyButton } from "../../markdown/copy-button.tsx";
import type { ToolItem } from "../tool-call.ts";
import { ansiSpans } from "./ansi-spans.ts";
import { plainOutput, terminalEnd, terminalText } from "./terminal-text.ts";

const SHOWN_LINES = 20;
/** While the command runs and its call is folded. */
const LIVE_LINES = 8;
/** The end of a long output is enough for them. */
const LIVE_LENGTH = 16_000;

type Terminal = Omit<Extract<ToolItem, { item: "terminal" }>, "item">;

/** The output of a program in its colours; the end of a long one. */
export const TerminalOutput = memo(function TerminalOutput({
  text,
  exit,
  omitted,
}: Terminal): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const shown = useMemo(() => terminalText(text).trimEnd(), [text]);
  const end = useMemo(() => terminalEnd(shown, SHOWN_LINES), [shown]);
  const facts = [
    ...(exit === null ? [] : [exit]),
    ...(omitted === 0 ? [] : [`${omitted.toLocaleString("en")} bytes left out`]),
  ];
  return (
    <div className="terminal">
      {shown !== "" && (
        <div className="terminal-actions">
          <CopyButton label="Copy output" text={() => plainOutput(text)} />
        </div>
      )}
      {!end.isWhole && (
        <button
          type="button"
          className="show-all"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? `Show the last ${SHOWN_LINES} lines` : allText(end.lines)}
        </button>
      )}
      {shown !== "" && <Spans text={isOpen ? shown : end.text} />}
      {facts.length > 0 && <p className="terminal-exit">{facts.join(" · ")}</p>}
    </div>
  );
});

function allText(lines: number): string {
  return lines > SHOWN_LINES ? `Show all ${lines.toLocaleString("en")} lines` : "Show all";
}

/** The last lines of a command that runs. */
export const LiveOutput = memo(function LiveOutput({ text }: Pick<Terminal, "text">): ReactElement {
  const shown = terminalText(text.slice(-LIVE_LENGTH)).trimEnd();
  return (
    <div className="terminal terminal-live">
      <Spans text={terminalEnd(shown, LIVE_LINES).text} />
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
