import type { Session } from "@holdfast/protocol";
import { Undo2 } from "lucide-react";
import { useState, type ReactElement } from "react";
import { client } from "../api/client.ts";
import { announce } from "../app/announce.tsx";
import { Button } from "../ui/button.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { showFailure, showToast } from "../ui/toast.ts";
import { keptNews, newsOf } from "./rewind-texts.ts";
import { undraftMessage, type DraftPlace } from "./rewound-draft.ts";
import type { DoneRewind } from "./use-rewind.ts";

const SHAPE = "flex flex-wrap items-center gap-2 rounded-lg border px-3 py-1.5 text-sm";

interface BarProps extends DraftPlace {
  readonly session: Session;
  /** The last rewind of this page. */
  readonly last: DoneRewind | null;
  readonly onUndone: () => void;
}

/** Says what became of the last rewind, and takes it back. */
export function RewoundBar(props: BarProps): ReactElement | null {
  const { session, last } = props;
  const { isUndoing, undo } = useUndo(props);
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
          <p className="flex-1">Rewound. {last?.rewindId === news.rewindId && last.left}</p>
          <Button
            size="small"
            busy={isUndoing}
            disabled={session.state !== "idle"}
            icon={<Undo2 size={13} aria-hidden="true" />}
            onClick={() => void undo(news.rewindId)}
          >
            Undo
          </Button>
        </div>
      );
    default:
      return news satisfies never;
  }
}

function useUndo({ session: { id, rewind }, transcript, drafts, onUndone }: BarProps) {
  const [isUndoing, setUndoing] = useState(false);
  const undo = async (rewindId: string): Promise<void> => {
    setUndoing(true);
    try {
      const reply = await client.sessions.rewind(id, { undo: rewindId });
      if (rewind !== null) undraftMessage({ drafts, transcript }, rewind.run);
      onUndone();
      announce("The rewind was undone");
      const kept = keptNews(reply);
      if (kept !== null) await showToast({ text: `Undone. ${kept}`, durationMs: 8_000 });
    } catch (error) {
      showFailure("Not undone", error);
    } finally {
      setUndoing(false);
    }
  };
  return { isUndoing, undo };
}
