import { FileText, X } from "lucide-react";
import type { ReactElement } from "react";
import { IconButton } from "../../ui/button.tsx";
import type { Attachment } from "./attachment.ts";

/** What goes with the message, each with a preview and a button that removes it. */
export function AttachmentChips({
  attachments,
  onRemove,
}: {
  readonly attachments: readonly Attachment[];
  /** None for a message that is being sent. */
  readonly onRemove?: (id: string) => void;
}): ReactElement {
  return (
    <ul aria-label="Attachments" className="flex flex-wrap gap-1.5">
      {attachments.map((attachment) => (
        <li
          key={attachment.id}
          className="flex max-w-56 items-center gap-1.5 rounded-md border border-line bg-sunken p-1 text-xs"
        >
          <Preview attachment={attachment} />
          <span className="min-w-0 truncate" title={attachment.name}>
            {attachment.name}
          </span>
          {onRemove !== undefined && (
            <IconButton
              label={`Remove ${attachment.name}`}
              size="small"
              onClick={() => onRemove(attachment.id)}
            >
              <X size={13} aria-hidden="true" />
            </IconButton>
          )}
        </li>
      ))}
    </ul>
  );
}

function Preview({ attachment }: { readonly attachment: Attachment }): ReactElement {
  if (attachment.kind === "file")
    return <FileText size={18} aria-hidden="true" className="ml-1 shrink-0 text-muted" />;
  const { mimeType, data } = attachment;
  return (
    <img
      src={`data:${mimeType};base64,${data}`}
      alt=""
      className="size-9 shrink-0 rounded object-cover"
    />
  );
}
