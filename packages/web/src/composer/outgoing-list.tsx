import type { ReactElement } from "react";
import { Button } from "../ui/button.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { AttachmentChips } from "./attachments/attachment-chips.tsx";
import type { Outgoing } from "./outbox.ts";
import { outbox } from "./page-outbox.ts";

/** Messages that are being sent or failed to send. */
export function OutgoingList({
  sessionId,
  outgoing,
  onEdit,
}: {
  readonly sessionId: string;
  readonly outgoing: readonly Outgoing[];
  /** Moves the message back into the message box. */
  readonly onEdit: (message: Outgoing) => void;
}): ReactElement {
  return (
    <ul aria-label="Not sent yet" className="flex flex-col gap-1">
      {outgoing.map((message) => (
        <li
          key={message.key}
          className="flex flex-col gap-1.5 rounded-lg border border-line bg-sunken px-3 py-2"
        >
          <p className="line-clamp-3 whitespace-pre-wrap wrap-anywhere">{message.text}</p>
          {message.attachments.length > 0 && <AttachmentChips attachments={message.attachments} />}
          <OutgoingState sessionId={sessionId} message={message} onEdit={onEdit} />
        </li>
      ))}
    </ul>
  );
}

function OutgoingState({
  sessionId,
  message,
  onEdit,
}: {
  readonly sessionId: string;
  readonly message: Outgoing;
  readonly onEdit: (message: Outgoing) => void;
}): ReactElement {
  const { key, failure, isWaiting } = message;
  const remove = (): void => outbox.remove(sessionId, key);
  if (failure === null && !isWaiting)
    return (
      <p className="flex items-center gap-2 text-xs text-muted">
        <Spinner /> Sending…
      </p>
    );
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {failure === null ? (
        <p className="flex min-w-0 flex-1 basis-52 items-center gap-2 text-xs text-warn">
          <Spinner /> The server does not answer. The message is sent once it is back.
        </p>
      ) : (
        <>
          <p className="min-w-0 flex-1 basis-52 text-xs text-danger wrap-anywhere">
            Not sent. {failure}
          </p>
          <Button size="small" onClick={() => void outbox.retry(sessionId, key)}>
            Retry
          </Button>
          <Button
            size="small"
            tone="quiet"
            onClick={() => {
              remove();
              onEdit(message);
            }}
          >
            Edit
          </Button>
        </>
      )}
      <Button size="small" tone="quiet" onClick={remove}>
        Discard
      </Button>
    </div>
  );
}
