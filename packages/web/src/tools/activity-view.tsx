import { Brain, Wrench } from "lucide-react";
import { Fragment, memo, type ReactElement, useMemo } from "react";
import type { Message, OpenSuspension } from "@holdfast/protocol";
import { durationText } from "../ui/time.ts";
import { familyOf, workKeyOf } from "./family.ts";
import { FoldLine } from "./fold-line.tsx";
import { PlanView } from "./plan-view.tsx";
import { SubagentText, SubagentWork } from "./subagent-work.tsx";
import { callIdOf, hasFailed, isDone, summarise, toToolCall } from "./tool-call.ts";
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
  const { waiting, decision } = useToolSurroundings();
  const [open, toggle] = useFold(activityKey, false);
  const calls = useMemo(
    () => new Map(messages.map((each) => [each.id, toToolCall(each)])),
    [messages],
  );
  const suspensionOf = ({ id }: Message): OpenSuspension | null => {
    const call = calls.get(id) ?? null;
    return call === null || isDone(call) ? null : waiting(call.callId);
  };
  const { top, under } = useMemo(() => familyOf(messages), [messages]);
  const workOf = ({ content }: Message): readonly Message[] =>
    under.get(callIdOf(content) ?? "") ?? [];
  const isWaiting = (message: Message): boolean =>
    suspensionOf(message) !== null || workOf(message).some(isWaiting);
  const toItem = (message: Message, index: number, siblings: readonly Message[]): ReactElement => {
    switch (message.content.type) {
      case "thought": {
        const next = siblings[index + 1]?.timestamp ?? until;
        return <ThoughtLine key={message.id} message={message} until={next} />;
      }
      case "tool": {
        const work = workOf(message);
        return (
          <Fragment key={message.id}>
            <ToolLine
              message={message}
              suspension={suspensionOf(message)}
              decision={decision(message)}
            />
            {work.length > 0 && (
              <SubagentWork
                workKey={workKeyOf(message)}
                count={work.length}
                isWaiting={work.some(isWaiting)}
              >
                {work.map(toItem)}
              </SubagentWork>
            )}
          </Fragment>
        );
      }
      case "plan":
        return <PlanView key={message.id} message={message} />;
      default:
        return <SubagentText key={message.id} message={message} />;
    }
  };
  const [first] = top;
  if (top.length === 1 && first !== undefined) return toItem(first, 0, top);
  const mustShow = (message: Message): boolean => {
    const call = calls.get(message.id) ?? null;
    if (call === null) return !message.complete;
    return !isDone(call) || hasFailed(call) || isWaiting(message);
  };
  const done = top
    .map(({ id }) => calls.get(id) ?? null)
    .filter((call) => call !== null)
    .filter(isDone);
  const isOver = messages.every(({ complete }) => complete);
  const time = isOver && first !== undefined ? timeBetween(first.timestamp, until) : null;
  return (
    <div className="activity">
      <FoldLine
        open={open}
        onToggle={toggle}
        icon={<Wrench aria-hidden size={14} className="state-icon" />}
        aside={time !== null && <span className="fold-aside">{time}</span>}
        details={<div className="activity-items">{top.map(toItem)}</div>}
      >
        {done.length === 0 ? "Thought" : summarise(done)}
      </FoldLine>
      {!open && (
        <div className="activity-items">
          {top.map((message, index) => (mustShow(message) ? toItem(message, index, top) : null))}
        </div>
      )}
    </div>
  );
});

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
  const time = timeBetween(timestamp, until);
  return (
    <div className="thought" data-message={id} id={id} tabIndex={-1}>
      <FoldLine
        open={open}
        onToggle={toggle}
        icon={<Brain aria-hidden size={14} className="state-icon" />}
        aside={complete ? null : <Elapsed since={timestamp} />}
        details={text.trim() === "" ? null : <Markdown text={text} textKey={id} />}
      >
        {complete ? `Thought${time === null ? "" : ` for ${time}`}` : `Thinking… ${lastLine(text)}`}
      </FoldLine>
    </div>
  );
});

/** Null below a second. */
function timeBetween(from: string, until: string | null): string | null {
  const ms = until === null ? 0 : Date.parse(until) - Date.parse(from);
  return ms < 1_000 ? null : durationText(ms);
}

function lastLine(text: string): string {
  const line = text.trimEnd().split("\n").at(-1) ?? "";
  return line
    .replaceAll(/[*_`#>]/gu, "")
    .trim()
    .slice(-200);
}
