import type { Message, OpenSuspension } from "@holdfast/protocol";
import { createContext, type ReactNode, useContext } from "react";

/** The request of a tool call, to be shown in the place of the call; null where it is shown elsewhere. */
export type ApprovalSlot = (suspension: OpenSuspension, call: Message) => ReactNode;

export const ApprovalSlotContext = createContext<ApprovalSlot>(() => null);

/** What to show in the place of a tool call that waits; null if it does not wait. */
export function useApprovalSlot(suspension: OpenSuspension | null, call: Message): ReactNode {
  const slot = useContext(ApprovalSlotContext);
  return suspension === null ? null : slot(suspension, call);
}
