import { MessagesSquare, Plus, SearchX } from "lucide-react";
import type { ReactElement } from "react";
import { openOverlay } from "../app/overlay.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";

/** Nothing is listed: because of the filters, because all is put away, or because all is new. */
export function ListEmpty({
  isNarrowed,
  archived,
  onClear,
  onShowArchived,
}: {
  readonly isNarrowed: boolean;
  /** How many there are that the list does not show. */
  readonly archived: number;
  readonly onClear: () => void;
  readonly onShowArchived: () => void;
}): ReactElement {
  if (isNarrowed)
    return (
      <Empty
        icon={<SearchX size={28} />}
        title="No session matches"
        action={<Button onClick={onClear}>Clear search and filters</Button>}
      >
        Words are found in titles and messages, at the beginning of a word.
      </Empty>
    );
  const create = (
    <Button
      tone="primary"
      icon={<Plus size={16} aria-hidden="true" />}
      onClick={() => openOverlay("new-session")}
    >
      New session
    </Button>
  );
  if (archived > 0)
    return (
      <Empty
        icon={<MessagesSquare size={28} />}
        title="Nothing open"
        action={
          <span className="flex flex-wrap justify-center gap-2">
            <Button onClick={onShowArchived}>Show archived ({archived})</Button>
            {create}
          </span>
        }
      >
        All sessions are archived.
      </Empty>
    );
  return (
    <Empty icon={<MessagesSquare size={28} />} title="No sessions yet" action={create}>
      Add a repository and send the first message. The demo agent answers without a key.
    </Empty>
  );
}
