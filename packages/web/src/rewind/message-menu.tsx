import { Copy, Ellipsis, GitFork, Pencil, Undo2 } from "lucide-react";
import type { ReactElement } from "react";
import { Menu } from "../ui/menu.tsx";
import { showFailure, showToast } from "../ui/toast.ts";

const ICON = { size: 15, "aria-hidden": true } as const;

/** The actions on a message of a user. */
export function MessageMenu({
  text,
  onFork,
  rewind,
}: {
  readonly text: () => string;
  /** Null if nothing stands before the message. */
  readonly onFork: (() => void) | null;
  /** Null if the session cannot go back to before this message. */
  readonly rewind: {
    readonly isIdle: boolean;
    readonly onEdit: () => void;
    readonly onGoBack: () => void;
  } | null;
}): ReactElement {
  const later = rewind?.isIdle === false ? { disabled: true, hint: "Not during a run" } : {};
  return (
    <Menu
      label="More actions on this message"
      size="small"
      items={[
        { label: "Copy", icon: <Copy {...ICON} />, onSelect: () => void copy(text()) },
        ...(rewind === null
          ? []
          : [
              {
                label: "Edit and run again…",
                icon: <Pencil {...ICON} />,
                onSelect: rewind.onEdit,
                ...later,
              },
            ]),
        {
          label: "Fork from here",
          icon: <GitFork {...ICON} />,
          disabled: onFork === null,
          ...(onFork === null && { hint: "Nothing before it" }),
          onSelect: () => onFork?.(),
        },
        ...(rewind === null
          ? []
          : [
              {
                label: "Go back to before this message…",
                icon: <Undo2 {...ICON} />,
                onSelect: rewind.onGoBack,
                ...later,
              },
            ]),
      ]}
    >
      <Ellipsis aria-hidden size={14} />
    </Menu>
  );
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    await showToast({ text: "Copied" });
  } catch (error) {
    showFailure("Not copied", error);
  }
}
