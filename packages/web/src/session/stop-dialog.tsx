import type { ReactElement } from "react";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";

/** Asks before a run is stopped. */
export function StopDialog({
  onStop,
  onClose,
}: {
  readonly onStop: () => void;
  readonly onClose: () => void;
}): ReactElement {
  return (
    <ConfirmDialog
      open
      title="Stop this run?"
      keep="Keep running"
      confirm="Stop"
      onConfirm={() => {
        onClose();
        onStop();
      }}
      onClose={onClose}
    >
      The agent stops, and its work may be incomplete. Your next message continues the session.
    </ConfirmDialog>
  );
}
