import {
  Check,
  CircleDashed,
  CircleSlash,
  Hand,
  LoaderCircle,
  type LucideIcon,
  TriangleAlert,
} from "lucide-react";
import { lazy, memo, type ReactElement, Suspense, useMemo } from "react";
import type { Message, OpenSuspension } from "@holdfast/protocol";
import { Elapsed } from "./elapsed.tsx";
import { FoldLine } from "./fold-line.tsx";
import { NamedIcon } from "./named-icon.tsx";
import { hasDetails, hasFailed, isDone, type ToolCall, toToolCall } from "./tool-call.ts";
import { useFold, useToolSurroundings } from "./tool-context.tsx";

const ToolDetails = lazy(() =>
  import("./tool-details.tsx").then((module) => ({ default: module.ToolDetails })),
);

/** A tool call in one line, unfolded when it failed or waits for the user. */
export const ToolLine = memo(function ToolLine({
  message,
  suspension,
}: {
  readonly message: Message;
  /** Its open suspension. */
  readonly suspension: OpenSuspension | null;
}): ReactElement | null {
  const { renderWaiting } = useToolSurroundings();
  const call = useMemo(() => toToolCall(message), [message]);
  const [open, toggle] = useFold(
    message.id,
    suspension !== null || (call !== null && hasFailed(call)),
  );
  if (call === null) return null;
  const isWaiting = suspension !== null;
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
        icon={<StateIcon call={call} isWaiting={isWaiting} />}
        aside={
          isDone(call) || isWaiting ? (
            <Outcome call={call} isWaiting={isWaiting} />
          ) : (
            <Elapsed since={message.timestamp} />
          )
        }
        details={
          hasDetails(call) ? (
            <Suspense fallback={null}>
              <ToolDetails call={call} callKey={message.id} />
            </Suspense>
          ) : null
        }
      >
        <span data-kind={call.kind}>{call.title}</span>
      </FoldLine>
      {suspension !== null && renderWaiting(suspension)}
    </div>
  );
});

const ICONS: Readonly<Record<ToolCall["status"], readonly [LucideIcon, string]>> = {
  pending: [CircleDashed, "Not started"],
  in_progress: [LoaderCircle, "Running"],
  completed: [Check, "Done"],
  failed: [TriangleAlert, "Failed"],
  cancelled: [CircleSlash, "Cancelled"],
  unfinished: [TriangleAlert, "Unfinished: the outcome is unknown"],
};

function StateIcon({
  call: { status },
  isWaiting,
}: {
  readonly call: ToolCall;
  readonly isWaiting: boolean;
}): ReactElement {
  const [icon, name] = isWaiting ? [Hand, "Needs you"] : ICONS[status];
  return <NamedIcon icon={icon} name={name} />;
}

/** The status in words, unless the call completed. */
function Outcome({
  call: { status },
  isWaiting,
}: {
  readonly call: ToolCall;
  readonly isWaiting: boolean;
}): ReactElement | null {
  if (isWaiting) return <span className="fold-aside">needs you</span>;
  if (status === "completed") return null;
  return <span className="fold-aside">{status}</span>;
}
