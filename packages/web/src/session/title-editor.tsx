import { Pencil } from "lucide-react";
import { useRef, useState, type ReactElement } from "react";
import { IconButton } from "../ui/button.tsx";
import { loaded } from "../ui/loaded.tsx";

const TitleForm = loaded(
  () => import("./title-form.tsx").then((m) => m.TitleForm),
  <span className="h-8 flex-1" />,
);

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
  const [isEditing, setEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const end = (): void => {
    setEditing(false);
    requestAnimationFrame(() => button.current?.focus());
  };
  if (isEditing) return <TitleForm title={title} name={name} onChange={onChange} onEnd={end} />;
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
        onClick={() => setEditing(true)}
      >
        <Pencil size={13} aria-hidden="true" />
      </IconButton>
    </div>
  );
}
