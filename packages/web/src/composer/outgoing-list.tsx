import type { ReactElement } from "react";
import { Button } from "../ui/button.tsx";
import { Spinner } from "../ui/spinner.tsx";
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
  /** Moves the text back into the message box. */
  readonly onEdit: (text: string) => void;
}): ReactElement {
  return (
    <ul aria-label="Not sent yet" className="flex flex-col gap-1">
      {outgoing.map(({ key, text, failure }) => (
        <li
          key={key}
          className="flex flex-col gap-1.5 rounded-lg border border-line bg-sunken px-3 py-2"
        >
          <p className="line-clamp-3 whitespace-pre-wrap wrap-anywhere">{text}</p>
          {failure === null ? (
            <p className="flex items-center gap-2 text-xs text-muted">
              <Spinner /> Sending…
            </p>
          ) : (
            <div className="flex flex-wrap items-center gap-1.5">
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
                  outbox.remove(sessionId, key);
                  onEdit(text);
                }}
              >
                Edit
              </Button>
              <Button size="small" tone="quiet" onClick={() => outbox.remove(sessionId, key)}>
                Discard
              </Button>
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
