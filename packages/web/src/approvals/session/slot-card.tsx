import type { Message, OpenSuspension } from "@holdfast/protocol";
import { type ReactElement, useMemo } from "react";
import { ApprovalCard, type ApprovalCardProps } from "../approval-card.tsx";
import { approvalOf } from "../approval.ts";
import type { FileChange } from "../change-view.tsx";
import { changesOf } from "../changes-of.ts";
import { callOf } from "./call-of.ts";

/** A request with the changes of its tool call. */
export function SlotCard({
  call,
  shape = "row",
  ...card
}: Omit<ApprovalCardProps, "changes" | "sessionId" | "shape"> & {
  readonly call: Message;
  readonly shape?: ApprovalCardProps["shape"];
}): ReactElement {
  const { suspension } = card;
  const changes = useMemo(() => changesIn(suspension, call), [suspension, call]);
  return <ApprovalCard {...card} sessionId={call.sessionId} changes={changes} shape={shape} />;
}

/** The changes that a request asks for. A form at a tool call asks for something else. */
export function changesIn(suspension: OpenSuspension, call: Message): readonly FileChange[] {
  const isPermission = approvalOf(suspension).ask === "choice";
  return isPermission ? changesOf([call], callOf(suspension)) : [];
}
