import type { Session } from "@holdfast/protocol";
import { Undo2 } from "lucide-react";
import type { ReactElement } from "react";
import { Button } from "../ui/button.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { newsOf } from "./rewind-texts.ts";

const SHAPE = "flex flex-wrap items-center gap-2 rounded-lg border px-3 py-1.5 text-sm";

/** Says what became of the last rewind, and takes it back. */
export function RewoundBar({
  session,
  busy,
  leftBy,
  onUndo,
}: {
  readonly session: Session;
  /** What a rewind left as it was; null for nothing. */
  readonly leftBy: (rewindId: string) => string | null;
  readonly busy: boolean;
  readonly onUndo: (rewindId: string) => void;
}): ReactElement | null {
  const news = newsOf(session);
  if (news === null) return null;
  switch (news.news) {
    case "restoring":
      return (
        <p className={`${SHAPE} border-line bg-sunken text-muted`}>
          <Spinner /> Files are being restored…
        </p>
      );
    case "failed":
      return (
        <p role="alert" className={`${SHAPE} border-transparent bg-danger-soft text-danger`}>
          <span className="min-w-0 wrap-anywhere">Not all files were restored. {news.error}</span>
        </p>
      );
    case "done":
      return (
        <div className={`${SHAPE} border-line bg-sunken`}>
          <p className="flex-1">Rewound. {leftBy(news.rewindId)}</p>
          <Button
            size="small"
            busy={busy}
            disabled={session.state !== "idle"}
            icon={<Undo2 size={13} aria-hidden="true" />}
            onClick={() => onUndo(news.rewindId)}
          >
            Undo
          </Button>
        </div>
      );
    default:
      return news satisfies never;
  }
}
