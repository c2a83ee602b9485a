import { Ellipsis, Undo2 } from "lucide-react";
import type { ReactElement } from "react";
import { Menu } from "../ui/menu.tsx";

/** The actions on a message of a user besides those that every message has. */
export function MessageMenu({
  isIdle,
  onGoBack,
}: {
  readonly isIdle: boolean;
  readonly onGoBack: () => void;
}): ReactElement {
  return (
    <Menu
      label="More actions on this message"
      size="small"
      items={[
        {
          label: "Go back to before this message…",
          icon: <Undo2 size={15} aria-hidden="true" />,
          disabled: !isIdle,
          ...(!isIdle && { hint: "Not during a run" }),
          onSelect: onGoBack,
        },
      ]}
    >
      <Ellipsis aria-hidden size={14} />
    </Menu>
  );
}
