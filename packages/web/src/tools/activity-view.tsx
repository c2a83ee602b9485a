import { Brain, Wrench } from "lucide-react";
import { memo, type ReactElement, useMemo } from "react";
import type { Message, OpenSuspension } from "@holdfast/protocol";
import { durationText } from "../ui/time.ts";
import { FoldLine } from "./fold-line.tsx";
import { hasFailed, isDone, summarise, type ToolCall, toToolCall } from "./tool-call.ts";
import { useFold, useToolSurroundings } from "./tool-context.tsx";
import { ToolLine } from "./tool-line.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { Elapsed } from "./elapsed.tsx";

/**
 * The activity between two messages: a summary line, and below it the calls that are running, failed or waiting. Opened,
 * it shows everything in order.
 */
export const ActivityView = memo(function ActivityView({
  activityKey,
  messages,
  until,
}: {
  readonly activityKey: string;
  readonly messages: readonly Message[];
  readonly until: string | null;
}): ReactElement {
  const { waiting } = useToolSurroundings();
  const [open, toggle] = useFold(activityKey, false);
  const calls = useMemo(
    () => new Map(messages.map((each) => [each.id, toToolCall(each)])),
    [messages],
  );
  const suspensionOf = ({ id }: Message): OpenSuspension | null => {
    const call = calls.get(id) ?? null;
    return call === null || isDone(call) ? null : waiting(call.callId);
  };
  const toItem = (message: Message, index: number): ReactElement => (
    <Item
      key={message.id}
      message={message}
      until={messages[index + 1]?.timestamp ?? until}
      suspension={suspensionOf(message)}
    />
  );
  const [first] = messages;
  if (messages.length === 1 && first !== undefined) return toItem(first, 0);
  const mustShow = (message: Message): boolean => {
    const call = calls.get(message.id) ?? null;
    return call === null ? !message.complete : !isDone(call) || hasFailed(call);
  };
  const done = [...calls.values()].filter(isCall).filter(isDone);
  const isOver = messages.every(({ complete }) => complete);
  return (
    <div className="activity">
      <FoldLine
        open={open}
        onToggle={toggle}
        icon={<Wrench aria-hidden size={14} className="state-icon" />}
        aside={isOver ? <Took from={first?.timestamp ?? null} until={until} /> : null}
        details={<div className="activity-items">{messages.map(toItem)}</div>}
      >
        {done.length === 0 ? "Thought" : summarise(done)}
      </FoldLine>
      {!open && (
        <div className="activity-items">
          {messages.map((message, index) => (mustShow(message) ? toItem(message, index) : null))}
        </div>
      )}
    </div>
  );
});

function Item({
  message,
  until,
  suspension,
}: {
  readonly message: Message;
  readonly until: string | null;
  readonly suspension: OpenSuspension | null;
}): ReactElement {
  return message.content.type === "thought" ? (
    <ThoughtLine message={message} until={until} />
  ) : (
    <ToolLine message={message} suspension={suspension} />
  );
}

function Took({
  from,
  until,
}: {
  readonly from: string | null;
  readonly until: string | null;
}): ReactElement | null {
  if (from === null || until === null) return null;
  const ms = Date.parse(until) - Date.parse(from);
  return ms < 1_000 ? null : <span className="fold-aside">{durationText(ms)}</span>;
}

function isCall(call: ToolCall | null): call is ToolCall {
  return call !== null;
}

/** A thought of the agent, folded: "Thought for 4 s". */
const ThoughtLine = memo(function ThoughtLine({
  message: { id, content, complete, timestamp },
  until,
}: {
  readonly message: Message;
  /** The start of the next entry. */
  readonly until: string | null;
}): ReactElement {
  const [open, toggle] = useFold(id, false);
  const text = typeof content["text"] === "string" ? content["text"] : "";
  return (
    <div className="thought" data-message={id} id={id} tabIndex={-1}>
      <FoldLine
        open={open}
        onToggle={toggle}
        icon={<Brain aria-hidden size={14} className="state-icon" />}
        aside={complete ? null : <Elapsed since={timestamp} />}
        details={text.trim() === "" ? null : <Markdown text={text} textKey={id} />}
      >
        {complete ? thoughtTitle(timestamp, until) : `Thinking… ${lastLine(text)}`}
      </FoldLine>
    </div>
  );
});

/** Durations below a second are not shown. */
function thoughtTitle(from: string, until: string | null): string {
  const ms = until === null ? 0 : Date.parse(until) - Date.parse(from);
  return ms < 1_000 ? "Thought" : `Thought for ${durationText(ms)}`;
}

function lastLine(text: string): string {
  const line = text.trimEnd().split("\n").at(-1) ?? "";
  return line
    .replaceAll(/[*_`#>]/gu, "")
    .trim()
    .slice(-200);
}
