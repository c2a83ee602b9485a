import {
  Check,
  CircleDashed,
  CircleSlash,
  Hand,
  LoaderCircle,
  type LucideIcon,
  Shield,
  ShieldCheck,
  ShieldX,
  TriangleAlert,
} from "lucide-react";
import { memo, type ReactElement, useMemo } from "react";
import type { Message, OpenSuspension } from "@holdfast/protocol";
import { useApprovalSlot } from "../approvals/session/approval-slot.tsx";
import { loaded } from "../ui/loaded.tsx";
import { absoluteTime, clockText } from "../ui/time.ts";
import { Elapsed } from "./elapsed.tsx";
import { FoldLine } from "./fold-line.tsx";
import { NamedIcon } from "./named-icon.tsx";
import {
  hasDetails,
  hasFailed,
  isDone,
  liveTextOf,
  type ToolCall,
  toToolCall,
} from "./tool-call.ts";
import type { Decision } from "./decision.ts";
import { useFold } from "./tool-context.tsx";
import { ToolTitle } from "./tool-title.tsx";

const ToolDetails = loaded(() => import("./tool-details.tsx").then((m) => m.ToolDetails));
const LiveOutput = loaded(() => import("./output/terminal-output.tsx").then((m) => m.LiveOutput));

/** A tool call in one line, unfolded when it failed or waits for the user. */
export const ToolLine = memo(function ToolLine({
  message,
  suspension,
  decision,
}: {
  readonly message: Message;
  /** Its open suspension. */
  readonly suspension: OpenSuspension | null;
  readonly decision: Decision | null;
}): ReactElement | null {
  const call = useMemo(() => toToolCall(message), [message]);
  const [open, toggle] = useFold(
    message.id,
    suspension !== null || (call !== null && hasFailed(call)),
  );
  const request = useApprovalSlot(suspension, message);
  if (call === null) return null;
  if (request !== null)
    return (
      <div
        className="tool"
        data-state="waiting"
        data-message={message.id}
        id={message.id}
        tabIndex={-1}
      >
        {request}
      </div>
    );
  const isWaiting = suspension !== null;
  const [icon, name] = isWaiting ? [Hand, "Needs you"] : ICONS[call.status];
  const liveText = open || isWaiting ? null : liveTextOf(call);
  const outcome = isWaiting ? "needs you" : call.status;
  return (
    <div
      className="tool"
      data-state={isWaiting ? "waiting" : call.status}
      data-message={message.id}
      id={message.id}
      tabIndex={-1}
    >
      <FoldLine
        open={open}
        onToggle={toggle}
        icon={<NamedIcon icon={icon} name={name} />}
        aside={
          isDone(call) || isWaiting ? (
            outcome !== "completed" && <span className="fold-aside">{outcome}</span>
          ) : (
            <Elapsed since={message.timestamp} />
          )
        }
        details={
          hasDetails(call) ? (
            <ToolDetails call={call} callKey={message.id} sessionId={message.sessionId} />
          ) : null
        }
      >
        <span data-kind={call.kind}>
          <ToolTitle title={call.title} />
        </span>
      </FoldLine>
      {decision !== null && !isWaiting && <DecisionLine decision={decision} />}
      {liveText !== null && (
        <div className="fold-details">
          <LiveOutput text={liveText} />
        </div>
      )}
    </div>
  );
});

/** Who decided, and when. */
function DecisionLine({ decision: { outcome, text, at } }: { readonly decision: Decision }) {
  const Icon = DECIDED[outcome];
  return (
    <p className="tool-decision" data-outcome={outcome}>
      <Icon aria-hidden size={12} />
      <span>
        {text}
        {at !== null && (
          <>
            {", "}
            <time dateTime={at} title={absoluteTime(at)}>
              {clockText(at)}
            </time>
          </>
        )}
      </span>
    </p>
  );
}

const DECIDED = { allowed: ShieldCheck, rejected: ShieldX, open: Shield } as const;

const ICONS: Readonly<Record<ToolCall["status"], readonly [LucideIcon, string]>> = {
  pending: [CircleDashed, "Not started"],
  in_progress: [LoaderCircle, "Running"],
  completed: [Check, "Done"],
  failed: [TriangleAlert, "Failed"],
  cancelled: [CircleSlash, "Stopped"],
  unfinished: [TriangleAlert, "Unfinished: the outcome is unknown"],
};
