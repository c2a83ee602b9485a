import { memo, useCallback, useSyncExternalStore, type ReactElement } from "react";
import { BlockView } from "../markdown/block-view.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { ActivityView } from "../tools/activity-view.tsx";
import { PartView } from "../tools/part-view.tsx";
import { PlanView } from "../tools/plan-view.tsx";
import { MessageActions, MessageHead, nameOf } from "./message-head.tsx";
import { NoticeLine } from "./notice-line.tsx";
import type { BlockRow, MessageRow, Row } from "./rows.ts";
import { useTranscript } from "./transcript-context.tsx";
import { UserMessage } from "./user-message.tsx";

/** One row of the list; it changes when its row does, not when the list does. */
export const RowView = memo(function RowView({
  rowKey,
}: {
  readonly rowKey: string;
}): ReactElement | null {
  const { store } = useTranscript();
  const subscribe = useCallback(
    (listener: () => void) => store.subscribeRow(rowKey, listener),
    [store, rowKey],
  );
  const row = useSyncExternalStore(subscribe, () => store.row(rowKey));
  return row === null ? null : <div className="row">{bodyOf(row)}</div>;
});

function bodyOf(row: Row): ReactElement {
  switch (row.row) {
    case "message":
      return <WholeMessage row={row} />;
    case "block":
      return <TextBlock row={row} />;
    case "activity": {
      const [first] = row.messages;
      return (
        <div className="row-activity">
          {row.startsRun && first !== undefined && <MessageHead message={first} />}
          <ActivityView activityKey={row.key} messages={row.messages} until={row.until} />
        </div>
      );
    }
    default:
      return row satisfies never;
  }
}

function WholeMessage({ row }: { readonly row: MessageRow }): ReactElement {
  const { message, startsRun } = row;
  const isNotice = message.role === "system" || typeof message.content["notice"] === "string";
  if (isNotice && message.content.type === "text") {
    return (
      <div id={message.id} tabIndex={-1} className="row-notice">
        <NoticeLine message={message} />
      </div>
    );
  }
  return (
    <article id={message.id} tabIndex={-1} aria-label={nameOf(message)} className="row-message">
      {startsRun && <MessageHead message={message} />}
      {message.role !== "user" && <MessageActions message={message} />}
      <Content row={row} />
    </article>
  );
}

function Content({ row: { message, text } }: { readonly row: MessageRow }): ReactElement {
  if (message.role === "user") return <UserMessage message={message} text={text} />;
  switch (message.content.type) {
    case "text":
      return <Markdown text={text} textKey={message.id} />;
    case "plan":
      return <PlanView message={message} />;
    default:
      return <PartView content={message.content} />;
  }
}

/** A part of an answer: its first one stands for the message. */
function TextBlock({ row }: { readonly row: BlockRow }): ReactElement {
  const { message, block, isFirst, live, from, to, startsRun } = row;
  const words = (
    <div className="markdown">
      <BlockView block={block} textKey={message.id} live={live} from={from} to={to} />
    </div>
  );
  if (!isFirst) {
    return (
      <div className="row-block" data-joined={from > 0 || undefined}>
        {words}
      </div>
    );
  }
  return (
    <article id={message.id} tabIndex={-1} aria-label={nameOf(message)} className="row-block">
      {startsRun && <MessageHead message={message} />}
      <MessageActions message={message} />
      {words}
    </article>
  );
}
