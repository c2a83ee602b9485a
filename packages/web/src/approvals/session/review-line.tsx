import type { Message, OpenSuspension } from "@holdfast/protocol";
import { Hand } from "lucide-react";
import { type ReactElement, useMemo } from "react";
import { Button } from "../../ui/button.tsx";
import { approvalOf } from "../approval.ts";
import { CardTitle } from "../card-head.tsx";
import { headlineOf } from "../headline.ts";
import { changesIn } from "./slot-card.tsx";

/** A request in one line, which leads to its sheet. */
export function ReviewLine({
  suspension,
  call,
  onReview,
}: {
  readonly suspension: OpenSuspension;
  readonly call: Message;
  readonly onReview: (suspensionId: string) => void;
}): ReactElement {
  const headline = useMemo(
    () => headlineOf(approvalOf(suspension), changesIn(suspension, call)),
    [suspension, call],
  );
  return (
    <div className="flex items-center gap-2 rounded-lg border border-warn bg-surface p-2 pl-3 text-fg">
      <Hand size={14} aria-hidden className="shrink-0 text-warn" />
      <CardTitle id={`review-${suspension.id}`} headline={headline} />
      <Button aria-describedby={`review-${suspension.id}`} onClick={() => onReview(suspension.id)}>
        Review
      </Button>
    </div>
  );
}
