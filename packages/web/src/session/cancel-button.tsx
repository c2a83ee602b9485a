import { Square } from "lucide-react";
import type { ReactElement } from "react";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";

/** Active only while something runs. */
export function CancelButton({
  running,
  busy,
  asking,
  onAsk,
  onCancel,
}: {
  readonly running: boolean;
  readonly busy: boolean;
  readonly asking: boolean;
  readonly onAsk: (asking: boolean) => void;
  readonly onCancel: () => void;
}): ReactElement {
  return (
    <>
      <Button
        size="small"
        disabled={!running}
        busy={busy}
        title={running ? "Cancel the run (Esc)" : "Nothing is running"}
        icon={<Square size={12} aria-hidden="true" />}
        onClick={() => onAsk(true)}
      >
        {busy ? "Cancelling…" : "Cancel"}
      </Button>
      <ConfirmDialog
        open={asking && running}
        title="Cancel the run?"
        confirm="Cancel the run"
        onConfirm={() => {
          onAsk(false);
          onCancel();
        }}
        onClose={() => onAsk(false)}
      >
        The agent stops. What it has begun may stay half done. The session can go on with the next
        message.
      </ConfirmDialog>
    </>
  );
}
