import { CornerDownLeft, Square } from "lucide-react";
import type { ReactElement } from "react";
import { Button } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import type { ComposerState } from "./composer-state.ts";
import type { Outgoing } from "./outbox.ts";

/** Stops the run. A page has one of these at most. */
export function StopButton({
  isStopping,
  onStop,
  className,
}: {
  readonly isStopping: boolean;
  readonly onStop: () => void;
  readonly className?: string;
}): ReactElement {
  return (
    <Button
      size="small"
      busy={isStopping}
      title="Stop this run (Esc)"
      icon={<Square size={12} fill="currentColor" aria-hidden="true" />}
      className={classNames("shrink-0 max-sm:size-9", className)}
      onClick={onStop}
    >
      <span className="max-sm:sr-only">Stop</span>
    </Button>
  );
}

/** Sends what is written. While a run is active, Stop takes the place of Send until something is written. */
export function SendButtons({
  state,
  canSteer,
  canStop,
  isEmpty,
  isStopping,
  onSend,
  onStop,
}: {
  readonly state: Extract<ComposerState, { open: true }>;
  readonly canSteer: boolean;
  readonly canStop: boolean;
  readonly isEmpty: boolean;
  readonly isStopping: boolean;
  readonly onSend: (delivery: Outgoing["delivery"]) => void;
  readonly onStop: () => void;
}): ReactElement {
  const hasOthers = !isEmpty && (canSteer || canStop || state.interrupt !== null);
  return (
    <>
      {hasOthers && (
        <div className="order-last flex basis-full justify-end gap-1.5 sm:order-none sm:ml-auto sm:basis-auto">
          {canStop && <StopButton isStopping={isStopping} onStop={onStop} />}
          {canSteer && (
            <Button
              size="small"
              title="The agent gets the message during its work"
              onClick={() => onSend("steer")}
            >
              Send now
            </Button>
          )}
          {state.interrupt !== null && (
            <Button
              size="small"
              title="Ctrl or Command and Enter"
              onClick={() => onSend("interrupt")}
            >
              {state.interrupt}
            </Button>
          )}
        </div>
      )}
      {isEmpty && canStop ? (
        <StopButton isStopping={isStopping} onStop={onStop} className="ml-auto" />
      ) : (
        <Button
          tone="primary"
          size="small"
          disabled={isEmpty}
          title="Enter"
          icon={<CornerDownLeft size={13} aria-hidden="true" />}
          className={hasOthers ? "shrink-0 max-sm:size-9" : "ml-auto shrink-0 max-sm:size-9"}
          onClick={() => onSend("queue")}
        >
          <span className="max-sm:sr-only">{state.send}</span>
        </Button>
      )}
    </>
  );
}
