import type { ReactElement } from "react";
import { Markdown } from "../markdown/markdown.tsx";
import { loaded } from "../ui/loaded.tsx";
import { Clamped } from "./clamped.tsx";
import { FullOutput } from "./output/full-output.tsx";
import { PartView } from "./part-view.tsx";
import { shortPath } from "./short-path.ts";
import { TerminalOutput } from "./output/terminal-output.tsx";
import { inputOf, placesOf, type ToolCall, type ToolItem } from "./tool-call.ts";
import { useToolSurroundings } from "./tool-context.tsx";

const DiffView = loaded(
  () => import("../diff/diff-view.tsx").then((m) => m.DiffView),
  <p className="tool-nothing">Loading the changes…</p>,
);

const SHOWN_LINES = 40;

/** The input, locations and output of a tool call. */
export function ToolDetails({
  call,
  callKey,
  sessionId,
}: {
  readonly call: ToolCall;
  /** The ID of its message. */
  readonly callKey: string;
  readonly sessionId: string;
}): ReactElement {
  const { root } = useToolSurroundings();
  const input = inputOf(call);
  const places = placesOf(call);
  return (
    <div className="tool-details">
      {input !== null && (
        <Clamped text={input} lines={SHOWN_LINES}>
          {(shown) => <pre className="code-text tool-input">{shown}</pre>}
        </Clamped>
      )}
      {places.length > 0 && (
        <ul className="tool-places" aria-label="Files">
          {places.map(({ path, line }, index) => (
            <li key={index}>
              {shortPath(path, root)}
              {line !== null && `:${line}`}
            </li>
          ))}
        </ul>
      )}
      {call.items.map((item, index) => (
        <ItemView key={index} item={item} itemKey={`${callKey}/${index}`} />
      ))}
      {call.namesFile && <FullOutput sessionId={sessionId} messageId={callKey} />}
    </div>
  );
}

function ItemView({
  item,
  itemKey,
}: {
  readonly item: ToolItem;
  readonly itemKey: string;
}): ReactElement {
  switch (item.item) {
    case "text":
      return (
        <Clamped text={item.text} lines={SHOWN_LINES}>
          {(shown) => <Markdown text={shown} textKey={itemKey} />}
        </Clamped>
      );
    case "terminal":
      return <TerminalOutput text={item.text} exit={item.exit} omitted={item.omitted} />;
    case "diff":
      return <DiffView diffKey={itemKey} {...item} />;
    case "part":
      return <PartView content={item.content} />;
    default:
      return item satisfies never;
  }
}
