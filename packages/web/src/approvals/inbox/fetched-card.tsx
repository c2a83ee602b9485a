import type { ReactElement } from "react";
import { ApprovalCard, type ApprovalCardProps } from "../approval-card.tsx";
import { useChanges } from "./use-changes.ts";

const NONE = [] as const;

/** A request whose tool call is not on the page: its changes are read from the server. */
export function FetchedCard({ footer, ...card }: Omit<ApprovalCardProps, "changes">): ReactElement {
  const changes = useChanges(card.sessionId, card.suspension);
  return (
    <ApprovalCard
      {...card}
      changes={changes.are === "known" ? changes.changes : NONE}
      place={`${card.place} ${changes.are}`}
      footer={
        <>
          {changes.are === "unknown" && (
            <p className="text-xs text-muted">The changes of this request are not known.</p>
          )}
          {footer}
        </>
      }
    />
  );
}
