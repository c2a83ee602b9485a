import { Pencil, Trash2 } from "lucide-react";
import { useState, type ReactElement } from "react";
import { IconButton } from "../ui/button.tsx";
import { CommentForm } from "./comment-form.tsx";
import type { LineComment } from "./line-comments.ts";
import { lineComments } from "./page-comments.ts";
import { useWhenGone } from "./use-when-gone.ts";

/** A comment, below its lines. */
export function CommentNote({
  sessionId,
  comment,
  isOutdated = false,
}: {
  readonly sessionId: string;
  readonly comment: LineComment;
  /** The lines are others by now. */
  readonly isOutdated?: boolean;
}): ReactElement {
  const { id, text, where } = comment;
  /** The changed text; null while it is not edited. */
  const [edited, setEdited] = useState<string | null>(null);
  const save = (): void => {
    if (edited !== null && edited.trim() !== "") lineComments.change(sessionId, id, edited);
  };
  useWhenGone(save);
  if (edited !== null)
    return (
      <CommentForm
        label={`Comment on ${where}`}
        text={edited}
        onText={setEdited}
        action="Save"
        onCancel={() => setEdited(null)}
        onSave={() => {
          save();
          setEdited(null);
        }}
      />
    );
  return (
    <article aria-label={`Comment on ${where}`} className="line-comment">
      <div className="flex items-start gap-1">
        <div className="min-w-0 flex-1">
          <p className="text-xs text-muted">
            {isOutdated ? `On ${where}, which changed since` : `On ${where}`}
          </p>
          <p className="whitespace-pre-wrap wrap-anywhere">{text}</p>
        </div>
        <IconButton label="Edit this comment" size="small" onClick={() => setEdited(text)}>
          <Pencil size={13} aria-hidden="true" />
        </IconButton>
        <IconButton
          label="Remove this comment"
          size="small"
          onClick={() => lineComments.remove(sessionId, id)}
        >
          <Trash2 size={13} aria-hidden="true" />
        </IconButton>
      </div>
    </article>
  );
}
