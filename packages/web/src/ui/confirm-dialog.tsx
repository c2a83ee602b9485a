import type { ReactElement, ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

/** Asks before something that cannot be taken back. The focus is on the way out. */
export function ConfirmDialog({
  open,
  title,
  children,
  confirm,
  tone = "danger",
  busy = false,
  onConfirm,
  onClose,
}: {
  readonly open: boolean;
  readonly title: string;
  readonly children?: ReactNode;
  /** What the button says: the thing that is done, not "OK". */
  readonly confirm: string;
  readonly tone?: "danger" | "primary";
  readonly busy?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}): ReactElement {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      description={children}
      size="small"
      footer={
        <>
          <Button data-autofocus onClick={onClose}>
            Keep it
          </Button>
          <Button tone={tone} busy={busy} onClick={onConfirm}>
            {confirm}
          </Button>
        </>
      }
    />
  );
}
