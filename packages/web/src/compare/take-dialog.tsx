import { errorText } from "@holdfast/client";
import type { BranchState, Session } from "@holdfast/protocol";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactElement } from "react";
import { client } from "../api/client.ts";
import { sessionName } from "../api/session-name.ts";
import { announce } from "../app/announce.tsx";
import { branchQuery } from "../keep/keep-queries.ts";
import { RefusalNote } from "../keep/refusal-note.tsx";
import { useKeep } from "../keep/use-keep.ts";
import { canArchive } from "../list/archive-sessions.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Problem } from "../ui/field.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { wholeSessionQuery } from "./compare-queries.ts";
import { archiveText, sessionsText, takeSteps } from "./compare-texts.ts";
import { useSessions } from "./use-sessions.ts";

interface TakeProps {
  readonly id: string;
  /** The other sessions of the comparison. */
  readonly others: readonly string[];
  readonly onClose: () => void;
}

/** Merges the work of one session, and offers to archive the others. */
export function TakeDialog(props: TakeProps): ReactElement {
  const { id, others, onClose } = props;
  const { data: branch, error } = useQuery(branchQuery(id));
  const left = useSessions(others).filter(canArchive);
  const keep = useKeep(id);
  /** What the merge did; null before. */
  const [merged, setMerged] = useState<string | null>(null);
  if (merged !== null && left.length > 0)
    return <ArchiveDialog merged={merged} sessions={left} onClose={onClose} />;
  if (merged !== null) return <Done merged={merged} onClose={onClose} />;
  const isBusy = keep.busy !== null;
  const take = async ({ into, isClean, suggestedMessage }: BranchState): Promise<void> => {
    if (into === null || isBusy) return;
    if (!isClean && (await keep.commit(suggestedMessage)) === null) return;
    setMerged(await keep.merge(into));
  };
  const steps = branch === undefined ? [] : takeSteps(branch);
  return (
    <Dialog
      open
      onClose={onClose}
      title="Take this one?"
      footer={
        <>
          <Button data-autofocus onClick={onClose}>
            Cancel
          </Button>
          <Button
            tone="primary"
            busy={isBusy}
            disabled={steps.length === 0}
            onClick={() => branch !== undefined && void take(branch)}
          >
            {branch?.isClean === false ? "Commit and merge" : "Merge"}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {branch === undefined && error === null && (
          <p className="flex items-center gap-2 text-muted">
            <Spinner /> Looking at the branch…
          </p>
        )}
        <Problem text={error === null ? null : errorText(error)} />
        {branch !== undefined && <Plan branch={branch} steps={steps} />}
        {keep.result?.ended === "refused" && <RefusalNote refusal={keep.result.refusal} />}
      </div>
    </Dialog>
  );
}

function Plan({
  branch,
  steps,
}: {
  readonly branch: BranchState;
  readonly steps: readonly string[];
}): ReactElement {
  const { into, isClean, suggestedMessage } = branch;
  if (steps.length === 0)
    return (
      <p className="text-muted">
        {into === null
          ? "There is no branch into which it could be merged."
          : `There is nothing to merge: ${into} has all of its work.`}
      </p>
    );
  return (
    <>
      <ol className="flex list-decimal flex-col gap-1 pl-5 wrap-anywhere">
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      {!isClean && (
        <div>
          <h3 className="text-xs font-medium">Message of the commit</h3>
          <pre
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it is scrolled with keys
            tabIndex={0}
            className="mt-1 max-h-40 overflow-auto rounded-md bg-sunken px-3 py-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
          >
            {suggestedMessage}
          </pre>
        </div>
      )}
      <p className="text-xs text-muted">
        If a hook refuses the commit or files conflict, nothing is merged, and you see why. The
        other sessions stay as they are.
      </p>
    </>
  );
}

function Done({
  merged,
  onClose,
}: {
  readonly merged: string;
  readonly onClose: () => void;
}): ReactElement {
  return (
    <Dialog
      open
      onClose={onClose}
      title="Taken"
      description={merged}
      size="small"
      footer={
        <Button tone="primary" onClick={onClose}>
          Close
        </Button>
      }
    />
  );
}

/** Archives the other sessions, if the user wants that. */
function ArchiveDialog({
  merged,
  sessions,
  onClose,
}: {
  readonly merged: string;
  readonly sessions: readonly Session[];
  readonly onClose: () => void;
}): ReactElement {
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const archive = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      for (const { id } of sessions) {
        await client.sessions.archive(id);
        await queries.invalidateQueries({ queryKey: wholeSessionQuery(id).queryKey });
      }
      announce(`${sessionsText(sessions.length)} archived`);
      onClose();
    } catch (error) {
      setProblem(errorText(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Archive the others?"
      description={merged}
      footer={
        <>
          <Button data-autofocus onClick={onClose}>
            Keep them
          </Button>
          <Button busy={isBusy} onClick={() => void archive()}>
            Archive {sessionsText(sessions.length)}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <ul className="flex list-disc flex-col gap-0.5 pl-5">
          {sessions.map((session) => (
            <li key={session.id} className="wrap-anywhere">
              {sessionName(session)}
            </li>
          ))}
        </ul>
        <p className="text-muted">{archiveText(sessions)}</p>
        <Problem text={problem} />
      </div>
    </Dialog>
  );
}
