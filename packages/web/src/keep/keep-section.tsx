import { errorText } from "@holdfast/client";
import type { BranchState, Session } from "@holdfast/protocol";
import { useQuery } from "@tanstack/react-query";
import { GitBranch } from "lucide-react";
import { useId, useState, type ReactElement } from "react";
import { Button } from "../ui/button.tsx";
import { loaded } from "../ui/loaded.tsx";
import { branchFacts, offersOf, reasonsOf, type KeepAction } from "./keep-texts.ts";
import { branchQuery } from "./keep-queries.ts";
import { PullRequestLink } from "./pull-request-link.tsx";
import { RefusalNote } from "./refusal-note.tsx";
import { useKeep, type KeepResult } from "./use-keep.ts";

const CommitForm = loaded(() => import("./commit-form.tsx").then((m) => m.CommitForm));
const MergeDialog = loaded(() => import("./merge-dialog.tsx").then((m) => m.MergeDialog));

/** The branch of a session, and the ways to keep its work. */
export function KeepSection({ session }: { readonly session: Session }): ReactElement | null {
  const { data, error, isFetching } = useQuery(branchQuery(session.id));
  const heading = useId();
  if (data === undefined && error === null) return null;
  return (
    <section
      aria-labelledby={heading}
      className="flex flex-col gap-2 rounded-lg border border-line p-3"
    >
      <h3 id={heading} className="text-sm font-semibold">
        Keep the work
      </h3>
      {error !== null && !isFetching && (
        <p role="alert" className="text-xs text-danger wrap-anywhere">
          {errorText(error)}
        </p>
      )}
      {data !== undefined && <Kept session={session} branch={data} />}
    </section>
  );
}

function Kept({
  session,
  branch,
}: {
  readonly session: Session;
  readonly branch: BranchState;
}): ReactElement {
  const keep = useKeep(session.id);
  /** The part that is open. */
  const [open, setOpen] = useState<"commit" | "merge" | null>(null);
  const reasonId = useId();
  const offers = offersOf(branch, session);
  const reasons = reasonsOf(offers);
  const { busy, result } = keep;
  const { into, pullRequest } = branch;
  const close = (): void => setOpen(null);
  const canCommit = offers.some(({ action, why }) => action === "commit" && why === null);
  const press: Readonly<Record<KeepAction, () => void>> = {
    commit: () => setOpen(open === "commit" ? null : "commit"),
    merge: () => setOpen("merge"),
    rebase: () => void keep.rebase(),
    push: () => void keep.push(),
    "pull-request": () => void keep.openPullRequest(),
  };
  return (
    <>
      <Facts branch={branch} />
      {pullRequest !== null && (
        <p className="text-xs">
          <span className="sr-only">Pull request: </span>
          <PullRequestLink address={pullRequest} />
        </p>
      )}
      {offers.length > 0 && (
        <div className="flex flex-wrap gap-2">
          {offers.map(({ action, label, why }) => (
            <Button
              key={action}
              size="small"
              busy={busy === action && open !== action}
              disabled={why !== null || busy !== null}
              aria-describedby={why === null ? undefined : reasonId}
              {...(action === "commit" && { "aria-expanded": open === "commit" })}
              onClick={press[action]}
            >
              {label}
            </Button>
          ))}
        </div>
      )}
      {reasons.length > 0 && (
        <p id={reasonId} className="text-xs text-muted">
          {reasons.join(" ")}
        </p>
      )}
      {open === "commit" && !branch.isClean && (
        <CommitForm branch={branch} keep={keep} disabled={!canCommit} onDone={close} />
      )}
      {open === "merge" && into !== null && (
        <MergeDialog
          branch={branch}
          into={into}
          onMerge={() => {
            close();
            void keep.merge(into);
          }}
          onClose={close}
        />
      )}
      {result !== null && <Ended result={result} />}
    </>
  );
}

function Facts({ branch }: { readonly branch: BranchState }): ReactElement {
  const name = branch.branch ?? "No branch is checked out";
  return (
    <div className="flex flex-col gap-0.5 text-xs">
      <p className="flex items-baseline gap-1.5 wrap-anywhere">
        <GitBranch size={12} aria-hidden="true" className="shrink-0 self-center text-muted" />
        <span>
          <span className="sr-only">Branch: </span>
          <span className="font-mono">{name}</span>
        </span>
      </p>
      <p className="text-muted wrap-anywhere">{branchFacts(branch).join(" ")}</p>
    </div>
  );
}

function Ended({ result }: { readonly result: KeepResult }): ReactElement {
  return (
    <div ref={takeLostFocus} tabIndex={-1} className="outline-none">
      {result.ended === "done" ? (
        <p className="text-xs text-ok wrap-anywhere">{result.text}</p>
      ) : (
        <RefusalNote refusal={result.refusal} />
      )}
    </div>
  );
}

/** The button of an action is disabled during the action, and may be gone afterwards. */
function takeLostFocus(element: HTMLElement | null): void {
  if (document.activeElement === document.body) element?.focus();
}
