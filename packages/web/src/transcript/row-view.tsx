import { isObject } from "@holdfast/client";
import { memo, type ReactElement, useCallback, useSyncExternalStore } from "react";
import { authorOf, type Message } from "@holdfast/protocol";
import {
  CircleAlert,
  FileCode,
  Info,
  Link,
  MessageCircleQuestionMark,
  TriangleAlert,
} from "lucide-react";
import { BlockView } from "../markdown/block-view.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { plainText } from "../markdown/plain-text.ts";
import { ActivityView } from "../tools/activity-view.tsx";
import { PartView } from "../tools/part-view.tsx";
import { PlanView } from "../tools/plan-view.tsx";
import type { BlockRow, MessageRow, Row } from "./rows.ts";
import { useTranscript } from "./transcript-context.tsx";
import type { TranscriptStore } from "./transcript-store.ts";
import { Clamped } from "../tools/clamped.tsx";
import { CopyButton } from "../markdown/copy-button.tsx";
import { FoldLine } from "../tools/fold-line.tsx";
import { useFold } from "../tools/tool-context.tsx";
import { loaded } from "../ui/loaded.tsx";
import { absoluteTime, clockText } from "../ui/time.ts";
import { MarkLine } from "./marks/mark-line.tsx";
import { toNotice } from "./notice.ts";

/** Loaded with the first run that changed files or was taken back; the fallback has the same height. */
const LINE = <div className="row-notice min-h-8" />;
const RewoundLine = loaded(() => import("./run-lines.tsx").then((m) => m.RewoundLine), LINE);
const ChangesLine = loaded(() => import("./run-lines.tsx").then((m) => m.ChangesLine), LINE);

/** One row of the list. It renders again when the row changes, not when the list does. */
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
  return row === null ? null : (
    <div className="row" data-rewound={isTakenBack(store, row) || undefined}>
      {bodyOf(row)}
    </div>
  );
});

/** Whether it is shown only because its fold is open. */
function isTakenBack(store: TranscriptStore, { row, messageId }: Row): boolean {
  const message = row === "rewound" || row === "mark" ? null : store.message(messageId);
  return message !== null && store.isRewound(message);
}

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
    case "rewound":
      return <RewoundLine row={row} />;
    case "changes":
      return <ChangesLine row={row} />;
    case "mark":
      return <MarkLine row={row} />;
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

/** A block of an answer; the first one represents the message. */
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

const SHOWN_LINES = 30;

/** A message of a user, unformatted, with its attachments. */
function UserMessage({
  message,
  text,
}: {
  readonly message: Message;
  readonly text: string;
}): ReactElement {
  const { parts } = message.content;
  return (
    <div className="user-message">
      <MessageHead message={message} />
      <MessageActions message={message} />
      {text !== "" && <Words text={text} />}
      <SteeringMark message={message} />
      {Array.isArray(parts) &&
        parts.map((part: unknown, index) => <UserPart key={index} part={part} />)}
    </div>
  );
}

/** Says that the agent got the message during its work, or that nobody knows. */
function SteeringMark({
  message: { content },
}: {
  readonly message: Message;
}): ReactElement | null {
  const isUnknown = content["steering"] === "unknown";
  if (content["injected"] !== true && !isUnknown) return null;
  return (
    <p className="mt-1 text-xs text-muted">
      {isUnknown
        ? "Given during the run; nobody knows whether the agent got it"
        : "Given to the agent during its run"}
    </p>
  );
}

function UserPart({ part }: { readonly part: unknown }): ReactElement | null {
  if (!isObject(part)) return null;
  const { type, text } = part;
  return type === "text" && typeof text === "string" ? (
    <Words text={text} />
  ) : (
    <PartView content={part} />
  );
}

function Words({ text }: { readonly text: string }): ReactElement {
  return (
    <Clamped text={text} lines={SHOWN_LINES}>
      {(shown) => <p className="user-words">{shown}</p>}
    </Clamped>
  );
}

const ICONS = { quiet: Info, warning: TriangleAlert, failure: CircleAlert } as const;

/** A notice in one line, with at most one action. */
const NoticeLine = memo(function NoticeLine({
  message,
}: {
  readonly message: Message;
}): ReactElement {
  const { noticeAction } = useTranscript();
  const { tone, text, detail, isQuestion } = toNotice(message);
  const [open, toggle] = useFold(message.id, isQuestion);
  const Icon = isQuestion ? MessageCircleQuestionMark : ICONS[tone];
  const action = noticeAction(message);
  return (
    <div className="notice" data-tone={tone}>
      <div className="notice-line">
        <FoldLine
          open={open}
          onToggle={toggle}
          icon={<Icon aria-hidden size={14} className="state-icon" />}
          details={
            detail === null ? null : (
              <div className="notice-detail">
                <pre className="code-text">{detail}</pre>
                <CopyButton label="Copy details" text={() => `${text}\n\n${detail}`} />
              </div>
            )
          }
        >
          {text}
        </FoldLine>
      </div>
      {action !== null && (
        <button type="button" className="notice-action touch-target" onClick={action.run}>
          {action.label}
        </button>
      )}
    </div>
  );
});

/** The author and the time. */
function MessageHead({ message }: { readonly message: Message }): ReactElement {
  const { runLabel } = useTranscript();
  const { runId, timestamp } = message;
  const label = authorOf(message) === "agent" && runId !== null ? runLabel(runId) : null;
  return (
    <p className="message-head">
      <strong>{nameOf(message)}</strong>
      {label !== null && <span>{label}</span>}
      <time dateTime={timestamp} title={absoluteTime(timestamp)}>
        {clockText(timestamp)}
      </time>
    </p>
  );
}

/** The actions of a message, shown on hover and on keyboard focus. */
function MessageActions({ message }: { readonly message: Message }): ReactElement {
  const { store, moreActions, linkTo } = useTranscript();
  const words = (): string => store.words(message.id);
  return (
    <div className="message-actions">
      <CopyButton label="Copy text" text={() => plainText(words())} />
      <CopyButton label="Copy as Markdown" text={words} icon={<FileCode aria-hidden size={14} />} />
      {linkTo === undefined ? (
        <a
          className="icon-action"
          href={`#${message.id}`}
          aria-label="Link to this message"
          title="Link to this message"
        >
          <Link aria-hidden size={14} />
        </a>
      ) : (
        <CopyButton
          label="Copy link to this message"
          text={() => linkTo(message.id)}
          icon={<Link aria-hidden size={14} />}
        />
      )}
      {message.role === "user" && moreActions(message)}
    </div>
  );
}

const NAMES = { user: "You", agent: "Agent", system: "Holdfast" } as const;

function nameOf(message: Message): string {
  return NAMES[authorOf(message)];
}
