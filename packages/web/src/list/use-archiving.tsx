import type { Session } from "@holdfast/protocol";
import { type ReactElement, useCallback, useState } from "react";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { archiveSessions, canArchive, isQuiet } from "./archive-sessions.ts";

interface Pending {
  readonly ids: readonly string[];
  readonly onArchived: () => void;
}

/** Archives quiet sessions at once, with an undo, and asks before archiving busy ones. */
export function useArchiving(sessions: readonly Session[]): {
  readonly archive: (ids: readonly string[], onArchived?: () => void) => void;
  readonly dialog: ReactElement | null;
} {
  const [pending, setPending] = useState<Pending | null>(null);
  const archive = useCallback(
    (ids: readonly string[], onArchived = nothing) => {
      const open = sessions.filter(({ id }) => ids.includes(id)).filter(canArchive);
      const openIds = open.map(({ id }) => id);
      if (!open.every(isQuiet)) return setPending({ ids: openIds, onArchived });
      archiveSessions(openIds);
      onArchived();
    },
    [sessions],
  );
  const close = (): void => setPending(null);
  const ids = pending?.ids ?? [];
  const busy = sessions.filter((session) => ids.includes(session.id) && !isQuiet(session));
  const dialog = pending && (
    <ConfirmDialog
      open
      title={ids.length === 1 ? "Archive this session?" : `Archive ${ids.length} sessions?`}
      confirm="Archive"
      onClose={close}
      onConfirm={() => {
        archiveSessions(ids);
        close();
        // The dialog first gives the focus back.
        setTimeout(pending.onArchived);
      }}
    >
      {busy.length === 1
        ? "An agent is working or waiting for an answer. Its run is stopped."
        : `In ${busy.length} of them an agent is working or waiting for an answer. Their runs are stopped.`}
    </ConfirmDialog>
  );
  return { archive, dialog };
}

function nothing(): void {}
