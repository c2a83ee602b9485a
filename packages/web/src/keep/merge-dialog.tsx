import type { BranchState } from "@holdfast/protocol";
import type { ReactElement } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { mergeText } from "./keep-texts.ts";

/** Says what a merge will do before it is done. */
export function MergeDialog({
  branch,
  into,
  onMerge,
  onClose,
}: {
  readonly branch: BranchState;
  readonly into: string;
  readonly onMerge: () => void;
  readonly onClose: () => void;
}): ReactElement {
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Merge into ${into}?`}
      description={<span className="wrap-anywhere">{mergeText(branch)}</span>}
      footer={
        <>
          <Button data-autofocus onClick={onClose}>
            Cancel
          </Button>
          <Button tone="primary" onClick={onMerge}>
            Merge
          </Button>
        </>
      }
    />
  );
}
