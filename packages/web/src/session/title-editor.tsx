import { Pencil } from "lucide-react";
import { useRef, useState, type FormEvent, type KeyboardEvent, type ReactElement } from "react";
import { isComposing } from "../composer/composer-keys.ts";
import { IconButton } from "../ui/button.tsx";
import { focusOnMount, Input } from "../ui/field.tsx";

/** The name of the session, and an input while it is edited. */
export function TitleEditor({
  title,
  name,
  onChange,
}: {
  /** The stored title; null when there is none. */
  readonly title: string | null;
  /** The displayed name. */
  readonly name: string;
  readonly onChange: (title: string | null) => void;
}): ReactElement {
  const [typed, setTyped] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const end = (): void => {
    setTyped(null);
    requestAnimationFrame(() => button.current?.focus());
  };
  const save = (event?: FormEvent): void => {
    event?.preventDefault();
    if (typed === null) return;
    const next = typed.trim() === "" ? null : typed.trim();
    if (next !== title) onChange(next);
    end();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || isComposing(event.nativeEvent)) return;
    event.preventDefault();
    event.stopPropagation();
    end();
  };
  if (typed !== null)
    return (
      <form onSubmit={save} className="min-w-0 flex-1">
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
          className="h-8 font-semibold"
        />
      </form>
    );
  return (
    <div className="flex min-w-0 flex-1 items-center gap-1">
      <h1 className="min-w-0 truncate text-[15px] font-semibold" title={name}>
        {name}
      </h1>
      <IconButton
        ref={button}
        label="Edit title"
        size="small"
        className="text-muted"
        onClick={() => setTyped(title ?? "")}
      >
        <Pencil size={13} aria-hidden="true" />
      </IconButton>
    </div>
  );
}
