import type { Message } from "@holdfast/protocol";
import { type ReactElement, useMemo } from "react";
import { ApprovalCard, type ApprovalCardProps } from "../approval-card.tsx";
import { callOf } from "./call-of.ts";
import { changesOf } from "../changes-of.ts";

/** A request with the changes of its tool call. */
export function SlotCard({
  call,
  shape = "row",
  ...card
}: Omit<ApprovalCardProps, "changes" | "sessionId" | "shape"> & {
  readonly call: Message;
  readonly shape?: ApprovalCardProps["shape"];
}): ReactElement {
  const callId = callOf(card.suspension);
  const changes = useMemo(() => changesOf([call], callId), [call, callId]);
  return <ApprovalCard {...card} sessionId={call.sessionId} changes={changes} shape={shape} />;
}
