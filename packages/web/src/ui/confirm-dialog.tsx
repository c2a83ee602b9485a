import type { ReactElement, ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

/** Asks before an action that cannot be undone. The focus is on the safe button. */
export function ConfirmDialog({
  open,
  title,
  children,
  keep = "Keep it",
  confirm,
  onConfirm,
  onClose,
}: {
  readonly open: boolean;
  readonly title: string;
  readonly children?: ReactNode;
  /** The label of the safe button. */
  readonly keep?: string;
  /** The label of the confirming button: the action, not "OK". */
  readonly confirm: string;
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
            {keep}
          </Button>
          <Button tone="danger" onClick={onConfirm}>
            {confirm}
          </Button>
        </>
      }
    />
  );
}
