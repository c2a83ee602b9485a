import { MessageSquareText } from "lucide-react";
import type { ReactElement } from "react";
import { flushSync } from "react-dom";
import { announce } from "../app/announce.tsx";
import { Button } from "../ui/button.tsx";
import { addToDraft } from "./added-text.ts";
import { commentCount, commentsText } from "./comment-text.ts";
import { lineComments, useComments } from "./page-comments.ts";

/** Hands the comments of a session to its message box, where they can be edited before they are sent. */
export function CommentsBar({
  sessionId,
  onLeave,
}: {
  readonly sessionId: string;
  readonly onLeave: (() => void) | undefined;
}): ReactElement | null {
  const comments = useComments(sessionId);
  if (comments.length === 0) return null;
  const count = commentCount(comments.length);
  const add = (): void => {
    const text = commentsText(comments);
    flushSync(() => {
      lineComments.clear(sessionId);
      onLeave?.();
    });
    // A dialog that closes gives the focus back first.
    setTimeout(() => {
      addToDraft(sessionId, text);
      announce(`${count} added to the message`);
    });
  };
  return (
    <div className="sticky bottom-0 -mx-1 flex items-center gap-2 rounded-lg border border-line bg-surface px-3 py-2 shadow-lg">
      <MessageSquareText size={14} aria-hidden="true" className="text-accent" />
      <p className="flex-1 text-xs">{count}</p>
      <Button size="small" tone="primary" onClick={add}>
        Add to message
      </Button>
    </div>
  );
}
