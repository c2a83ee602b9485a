import { useState, type FormEvent, type KeyboardEvent, type ReactElement } from "react";
import { isComposing } from "../composer/composer-keys.ts";
import { focusOnMount, Input } from "../ui/field.tsx";

/** Edits the title of a session. */
export function TitleForm({
  title,
  name,
  onChange,
  onEnd,
}: {
  /** The stored title; null when there is none. */
  readonly title: string | null;
  /** The displayed name. */
  readonly name: string;
  readonly onChange: (title: string | null) => void;
  readonly onEnd: () => void;
}): ReactElement {
  const [typed, setTyped] = useState(title ?? "");
  const save = (event?: FormEvent): void => {
    event?.preventDefault();
    const next = typed.trim() === "" ? null : typed.trim();
    if (next !== title) onChange(next);
    onEnd();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || isComposing(event.nativeEvent)) return;
    event.preventDefault();
    event.stopPropagation();
    onEnd();
  };
  return (
    <form onSubmit={save} className="min-w-0 flex-1 sm:min-w-60">
      <h1 className="sr-only">{name}</h1>
      <Input
        ref={focusOnMount}
        aria-label="Title"
        maxLength={500}
        value={typed}
        placeholder={name}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => save()}
        className="h-8! font-semibold"
      />
    </form>
  );
}
