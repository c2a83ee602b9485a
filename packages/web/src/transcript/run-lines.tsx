import { FileDiff, Undo2 } from "lucide-react";
import type { ReactElement } from "react";
import { countsName, runText } from "../changes/counts.ts";
import { FoldLine } from "../tools/fold-line.tsx";
import { useFold } from "../tools/tool-context.tsx";
import type { ChangesRow, RewoundRow } from "./rows.ts";
import { useTranscript } from "./transcript-context.tsx";

/** Stands for messages that were taken back; the rows below it show them while it is open. */
export function RewoundLine({ row: { key, count } }: { readonly row: RewoundRow }): ReactElement {
  const [open, toggle] = useFold(key, false);
  return (
    <div className="row-notice rewound-line">
      <FoldLine
        open={open}
        onToggle={toggle}
        icon={<Undo2 aria-hidden size={14} className="state-icon" />}
        details={<></>}
      >
        {count === 1
          ? "1 message was taken back"
          : `${count.toLocaleString("en")} messages were taken back`}
      </FoldLine>
    </div>
  );
}

/** What a run changed; it opens the changes of the run. */
export function ChangesLine({ row }: { readonly row: ChangesRow }): ReactElement {
  const { onChanges } = useTranscript();
  const { runId, counts } = row;
  return (
    <div className="row-notice">
      <button
        type="button"
        className="changes-line touch-target"
        title={countsName(counts)}
        onClick={() => onChanges(runId)}
      >
        <FileDiff aria-hidden size={14} />
        {runText(counts)}
      </button>
    </div>
  );
}
