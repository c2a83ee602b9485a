import { useEffect, useRef, type KeyboardEvent, type ReactElement } from "react";
import { Button } from "../ui/button.tsx";
import { TextArea } from "../ui/field.tsx";

/** Writes or changes a comment. */
export function CommentForm({
  label,
  text,
  onText,
  action,
  onSave,
  onCancel,
  children,
}: {
  readonly label: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly action: string;
  readonly onSave: () => void;
  readonly onCancel: () => void;
  readonly children?: ReactElement | false;
}): ReactElement {
  const box = useRef<HTMLTextAreaElement>(null);
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.focus({ preventScroll: true });
    form.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const isEmpty = text.trim() === "";
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") onCancel();
    else if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    else if (!isEmpty) onSave();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={form} className="line-comment">
      {children}
      <TextArea
        ref={box}
        aria-label={label}
        placeholder="What should the agent change here?"
        rows={2}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={onKeyDown}
        className="field-sizing-content max-h-60 min-h-16"
      />
      <div className="flex flex-wrap justify-end gap-2">
        <Button size="small" tone="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button
          size="small"
          tone="primary"
          disabled={isEmpty}
          title="Ctrl or Command and Enter"
          onClick={onSave}
        >
          {action}
        </Button>
      </div>
    </div>
  );
}
