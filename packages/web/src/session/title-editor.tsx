import { useRef, type ReactElement } from "react";
import { loaded } from "../ui/loaded.tsx";

const TitleForm = loaded(
  () => import("./title-form.tsx").then((m) => m.TitleForm),
  <span className="h-8 flex-1" />,
);

/** The name of the session, and an input while it is edited. */
export function TitleEditor({
  title,
  name,
  isEditing,
  onEditing,
  onChange,
}: {
  /** The stored title; null when there is none. */
  readonly title: string | null;
  /** The displayed name. */
  readonly name: string;
  readonly isEditing: boolean;
  readonly onEditing: (isEditing: boolean) => void;
  readonly onChange: (title: string | null) => void;
}): ReactElement {
  const button = useRef<HTMLButtonElement>(null);
  const end = (): void => {
    onEditing(false);
    requestAnimationFrame(() => button.current?.focus());
  };
  if (isEditing) return <TitleForm title={title} name={name} onChange={onChange} onEnd={end} />;
  return (
    <h1 className="flex min-w-0 text-sm font-semibold sm:max-w-1/2 sm:shrink-0 sm:text-[15px]">
      {/* A phone renames from the menu: its header has no room for a second thumb. */}
      <span className="truncate sm:hidden">{name}</span>
      <button
        ref={button}
        type="button"
        title={`${name}\nRename`}
        onClick={() => onEditing(true)}
        className="touch-target -ml-1 hidden h-7 min-w-0 truncate rounded px-1 text-left hover:bg-hover sm:block"
      >
        {name}
      </button>
    </h1>
  );
}
