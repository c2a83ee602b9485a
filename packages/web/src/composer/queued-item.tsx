import type { QueuedMessage } from "@holdfast/protocol";
import { ArrowDown, ArrowUp, Pencil, X } from "lucide-react";
import { useRef, useState, type KeyboardEvent, type ReactElement } from "react";
import { Button, IconButton } from "../ui/button.tsx";
import { TextArea } from "../ui/field.tsx";
import { isComposing } from "./composer-keys.ts";
import { useFirstFocus } from "./use-first-focus.ts";
import { queuedText, queuedWords } from "./queue-moves.ts";

interface QueuedItemProps {
  readonly message: QueuedMessage;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onMove: (by: 1 | -1) => void;
  readonly onRemove: () => void;
  readonly onEdit: (text: string) => void;
}

export function QueuedItem(props: QueuedItemProps): ReactElement {
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
  const box = useRef<HTMLTextAreaElement>(null);
  useFirstFocus(box);
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
        ref={box}
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
