import type { QueuedMessage, QueueReply, Session } from "@holdfast/protocol";
import { ArrowDown, ArrowUp, Pencil, X } from "lucide-react";
import { useRef, useState, type KeyboardEvent, type ReactElement } from "react";
import { client } from "../../api/client.ts";
import { announce } from "../../app/announce.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { focusOnMount, TextArea } from "../../ui/field.tsx";
import { showFailure } from "../../ui/toast.ts";
import { isComposing } from "../composer-keys.ts";
import { movedPosition, queuedText, queuedWords, withMoved } from "./queue-moves.ts";

interface QueueListProps {
  readonly session: Pick<Session, "id" | "status" | "state" | "delivery">;
  readonly queue: readonly QueuedMessage[];
  readonly onQueue: (queue: readonly QueuedMessage[]) => void;
}

/** The queued messages in order. */
export function QueueList({ session, queue, onQueue }: QueueListProps): ReactElement {
  const list = useRef<HTMLOListElement>(null);
  const { id } = session;
  const act = (failed: string, work: () => Promise<QueueReply>): void => {
    const before = queue;
    work().then(
      (reply) => onQueue(reply.queue),
      (error: unknown) => {
        onQueue(before);
        showFailure(failed, error);
      },
    );
  };
  const move = (messageId: string, by: number): void => {
    const position = movedPosition(queue, messageId, by);
    if (position === null) return;
    onQueue(withMoved(queue, messageId, position));
    announce(`Now number ${position + 1} of ${queue.length}`);
    act("Not moved", () => client.sessions.editQueued(id, messageId, { position }));
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLElement>(`[data-queued="${CSS.escape(messageId)}"]`)?.focus(),
    );
  };
  const remove = (messageId: string): void => {
    announce("Removed from the queue");
    act("Not removed", () => client.sessions.withdrawQueued(id, messageId));
  };
  const edit = (messageId: string, text: string): void =>
    act("Not changed", () => client.sessions.editQueued(id, messageId, { text }));
  return (
    <section aria-label="Queue" className="flex flex-col gap-1">
      <h2 className="px-1 text-xs font-semibold text-muted">
        {queue.length === 1 ? "1 message in the queue" : `${queue.length} messages in the queue`}
        <span className="font-normal"> · {whyText(session)}</span>
      </h2>
      <ol ref={list} className="flex max-h-[30dvh] flex-col gap-1 overflow-y-auto">
        {queue.map((message, index) => (
          <QueuedItem
            key={message.messageId}
            message={message}
            isFirst={index === 0}
            isLast={index === queue.length - 1}
            onMove={(by) => move(message.messageId, by)}
            onRemove={() => remove(message.messageId)}
            onEdit={(text) => edit(message.messageId, text)}
          />
        ))}
      </ol>
    </section>
  );
}

function whyText({ status, state, delivery }: QueueListProps["session"]): string {
  if (delivery !== "open") return "held back by the session";
  if (state === "running") return "after the current run";
  if (state === "suspended") return "after the answer above";
  return status === "suspended" ? "until the session is resumed" : "until an agent is free";
}

interface QueuedItemProps {
  readonly message: QueuedMessage;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onMove: (by: 1 | -1) => void;
  readonly onRemove: () => void;
  readonly onEdit: (text: string) => void;
}

function QueuedItem(props: QueuedItemProps): ReactElement {
  const { message, isFirst, isLast, onMove, onRemove, onEdit } = props;
  const [typed, setTyped] = useState<string | null>(null);
  const text = queuedText(message);
  const save = (): void => {
    if (typed !== null && typed.trim() !== "" && typed !== text) onEdit(typed);
    setTyped(null);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    event.stopPropagation();
    onMove(event.key === "ArrowUp" ? -1 : 1);
  };
  if (typed !== null)
    return (
      <li className="rounded-lg border border-line bg-surface p-2">
        <EditBox text={typed} onChange={setTyped} onSave={save} onLeave={() => setTyped(null)} />
      </li>
    );
  return (
    // Moved with Alt and the arrows as well as with its buttons.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <li
      data-queued={message.messageId}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className="flex flex-wrap items-center gap-x-1 rounded-lg border border-line bg-surface py-1 pr-1 pl-3 focus-visible:-outline-offset-2"
    >
      <p className="line-clamp-2 min-w-0 flex-1 basis-40 whitespace-pre-wrap wrap-anywhere">
        {queuedWords(message)}
      </p>
      {message.provider !== null && (
        <span className="px-1 text-xs text-muted">
          {[message.provider, message.model].filter((part) => part !== null).join(" ")}
        </span>
      )}
      <span className="ml-auto flex">
        <IconButton label="Move up" size="small" disabled={isFirst} onClick={() => onMove(-1)}>
          <ArrowUp size={14} aria-hidden="true" />
        </IconButton>
        <IconButton label="Move down" size="small" disabled={isLast} onClick={() => onMove(1)}>
          <ArrowDown size={14} aria-hidden="true" />
        </IconButton>
        {text !== null && (
          <IconButton label="Edit message" size="small" onClick={() => setTyped(text)}>
            <Pencil size={13} aria-hidden="true" />
          </IconButton>
        )}
        <IconButton label="Remove from the queue" size="small" onClick={onRemove}>
          <X size={14} aria-hidden="true" />
        </IconButton>
      </span>
    </li>
  );
}

function EditBox({
  text,
  onChange,
  onSave,
  onLeave,
}: {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onSave: () => void;
  readonly onLeave: () => void;
}): ReactElement {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event.nativeEvent)) return;
    const isSave = event.key === "Enter" && !event.shiftKey;
    if (!isSave && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (isSave) onSave();
    else onLeave();
  };
  return (
    <div className="flex flex-col gap-1.5">
      <TextArea
        ref={focusOnMount}
        aria-label="Message in the queue"
        rows={2}
        value={text}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        className="field-sizing-content max-h-40"
      />
      <div className="flex justify-end gap-1.5">
        <Button size="small" tone="quiet" onClick={onLeave}>
          Keep the original
        </Button>
        <Button size="small" tone="primary" disabled={text.trim() === ""} onClick={onSave}>
          Save change
        </Button>
      </div>
    </div>
  );
}
