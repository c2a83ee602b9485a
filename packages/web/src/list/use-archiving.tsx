import type { Session } from "@holdfast/protocol";
import { useCallback, useState, type ReactElement } from "react";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { archiveSessions, canArchive, isQuiet } from "./archive-sessions.ts";

/** Quiet sessions go at once and can be brought back for a moment; for busy ones one is asked. */
export function useArchiving(sessions: readonly Session[]): {
  readonly archive: (ids: readonly string[]) => void;
  readonly dialog: ReactElement | null;
} {
  const [asked, setAsked] = useState<readonly string[] | null>(null);
  const close = (): void => setAsked(null);
  const busy = sessions.filter(({ id }) => asked?.includes(id)).filter((one) => !isQuiet(one));
  const dialog =
    asked === null ? null : (
      <ConfirmDialog
        open
        title={asked.length === 1 ? "Archive this session?" : `Archive ${asked.length} sessions?`}
        confirm="Archive"
        onClose={close}
        onConfirm={() => {
          archiveSessions(asked);
          close();
        }}
      >
        {busy.length === 1
          ? "An agent is at work there, or waits for an answer. Its run is cancelled."
          : `In ${busy.length} of them an agent is at work or waits for an answer. Their runs are cancelled.`}
      </ConfirmDialog>
    );
  const archive = useCallback(
    (ids: readonly string[]) => {
      const chosen = sessions.filter(({ id }) => ids.includes(id)).filter(canArchive);
      const chosenIds = chosen.map(({ id }) => id);
      if (chosen.every(isQuiet)) archiveSessions(chosenIds);
      else setAsked(chosenIds);
    },
    [sessions],
  );
  return { archive, dialog };
}
