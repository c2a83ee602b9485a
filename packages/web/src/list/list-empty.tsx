import { MessagesSquare, Plus, SearchX } from "lucide-react";
import type { ReactElement } from "react";
import { openOverlay } from "../app/overlay.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { loaded } from "../ui/loaded.tsx";
import type { ListLook } from "./rows/session-row.tsx";

const FirstMinute = loaded(() => import("./first-minute.tsx").then((m) => m.FirstMinute));

/** The empty state: nothing matches, everything is archived, or there are no sessions yet. */
export function ListEmpty({
  look,
  isNarrowed,
  archived,
  onClear,
  onShowArchived,
}: {
  readonly look: ListLook;
  readonly isNarrowed: boolean;
  /** The number of archived sessions that are not listed. */
  readonly archived: number;
  readonly onClear: () => void;
  readonly onShowArchived: () => void;
}): ReactElement {
  if (isNarrowed)
    return (
      <Empty
        icon={<SearchX size={28} />}
        title="No matching sessions"
        action={<Button onClick={onClear}>Clear search and filters</Button>}
      >
        The search finds the beginnings of words in titles and messages.
      </Empty>
    );
  if (archived > 0)
    return (
      <Empty
        icon={<MessagesSquare size={28} />}
        title="No open sessions"
        action={
          <span className="flex flex-wrap justify-center gap-2">
            <Button onClick={onShowArchived}>Show archived ({archived})</Button>
            <Button
              tone="primary"
              icon={<Plus size={16} aria-hidden="true" />}
              onClick={() => openOverlay("new-session")}
            >
              New session
            </Button>
          </span>
        }
      >
        All sessions are archived.
      </Empty>
    );
  return look === "page" ? <FirstMinute /> : <Empty title="No sessions yet" />;
}
