import type { ReactElement } from "react";
import { ApprovalCard } from "../approvals/approval-card.tsx";
import { approvalOf, closingText, givingUpLabel } from "../approvals/approval.ts";
import { changesOf } from "../approvals/changes-of.ts";
import { Button } from "../ui/button.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import type { SessionView } from "./session-view.ts";

/** Everything the session waits for, oldest first, and how the last one ended. */
export function WaitingStack({
  view,
  onGiveUp,
  givingUp,
}: {
  readonly view: SessionView;
  /** Ends the run that waits. */
  readonly onGiveUp: () => void;
  readonly givingUp: boolean;
}): ReactElement | null {
  const { session, repo, closed, tools } = view;
  const { suspensions } = session;
  const place = suspensions.map(({ id }) => id).join(" ");
  const label = givingUpLabel(suspensions.map(approvalOf));
  if (suspensions.length === 0) return <LastClosed view={view} />;
  return (
    <div className="flex max-h-[62dvh] flex-col gap-2 overflow-y-auto">
      {suspensions.map((suspension, index) => {
        const approval = approvalOf(suspension);
        const callId = approval.ask === "choice" ? approval.toolCallId : null;
        const message = callId === null ? undefined : tools.get(callId);
        return (
          <ApprovalCard
            key={suspension.id}
            sessionId={session.id}
            suspension={suspension}
            changes={message === undefined ? [] : changesOf([message], callId)}
            root={repo?.path ?? null}
            place={place}
            pageKeys={index === 0}
            fit={suspensions.length === 1}
            footer={
              label !== null &&
              index === suspensions.length - 1 && (
                <Button
                  size="small"
                  tone="quiet"
                  busy={givingUp}
                  className="self-start text-muted"
                  onClick={onGiveUp}
                >
                  {label}
                </Button>
              )
            }
          />
        );
      })}
      {closed.length > 0 && <LastClosed view={view} />}
    </div>
  );
}

/** The last closed request, while its run continues. */
function LastClosed({ view }: { readonly view: SessionView }): ReactElement | null {
  const { closed, runs } = view;
  const last = closed.at(-1);
  const text = last === undefined ? null : closingText(last);
  const run = runs.findLast(({ status }) => status === "running" || status === "suspended");
  if (last === undefined || text === null || run?.id !== last.runId) return null;
  return (
    <p className="px-1 text-xs text-muted wrap-anywhere">
      {approvalOf(last).title}: {text}
      {last.closedAt !== null && (
        <>
          {" · "}
          <RelativeTime time={last.closedAt} />
        </>
      )}
    </p>
  );
}
