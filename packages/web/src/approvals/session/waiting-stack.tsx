import type { SessionView } from "../../session/session-view.ts";
import { Hand } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { useShortcuts } from "../../app/use-shortcuts.ts";
import { Button } from "../../ui/button.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { approvalOf, closingText, givingUpLabel } from "../approval.ts";
import { FetchedCard } from "../inbox/fetched-card.tsx";
import { callOf } from "./call-of.ts";
import { RequestSheet } from "./request-sheet.tsx";
import { useSwipe } from "../../ui/screen/use-swipe.ts";
import type { Request, Requests } from "./use-requests.tsx";

const DIGITS = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

/**
 * Says how many requests are open in the transcript and leads to them. Requests without a tool call in the transcript
 * are answered here; on a small screen, all are answered on a sheet.
 */
export function WaitingStack({
  view,
  requests,
  onGiveUp,
  givingUp,
}: {
  readonly view: SessionView;
  readonly requests: Requests;
  /** Ends the run that waits. */
  readonly onGiveUp: () => void;
  readonly givingUp: boolean;
}): ReactElement | null {
  const { session } = view;
  const { all, folders, place, keys, hasSheet, reviewed, review, show } = requests;
  const [first] = all;
  const placed = hasSheet ? all : all.filter(({ call }) => call !== null);
  const here = all.filter((request) => !placed.includes(request));
  const lead = (request: Request): void =>
    hasSheet ? review(request.suspension.id) : show(request);

  const onDigit = (event: KeyboardEvent): void => {
    if (first === undefined || event.repeat) return;
    const press = keys.get(first.suspension.id);
    if (press === undefined) lead(first);
    else press(event);
  };
  useShortcuts(
    first === undefined ? {} : Object.fromEntries(DIGITS.map((digit) => [digit, onDigit])),
  );

  const label = givingUpLabel(all.map(({ suspension }) => approvalOf(suspension)));
  const giveUp = label !== null && (
    <Button
      size="small"
      tone="quiet"
      busy={givingUp}
      className="self-start text-muted"
      onClick={onGiveUp}
    >
      {label}
    </Button>
  );
  if (first === undefined) return <LastClosed view={view} />;
  return (
    <>
      {here.length > 0 && (
        <div className="flex max-h-[62dvh] flex-col gap-2 overflow-y-auto">
          {here.map(({ suspension }, index) => (
            <FetchedCard
              key={suspension.id}
              {...{ suspension, folders, place, keys }}
              sessionId={session.id}
              shape={here.length === 1 ? "fit" : "row"}
              footer={placed.length === 0 && index === here.length - 1 && giveUp}
            />
          ))}
        </div>
      )}
      {placed.length > 0 && (
        <WaitingBar
          count={placed.length}
          isSheet={hasSheet}
          onLead={() => lead(placed[0] ?? first)}
        >
          {!hasSheet && giveUp}
        </WaitingBar>
      )}
      {reviewed !== null && (
        <RequestSheet
          sessionId={session.id}
          requests={requests}
          request={reviewed}
          footer={giveUp}
        />
      )}
    </>
  );
}

/** How many requests wait, and the way to the first. */
function WaitingBar({
  count,
  isSheet,
  onLead,
  children,
}: {
  readonly count: number;
  readonly isSheet: boolean;
  readonly onLead: () => void;
  readonly children: ReactNode;
}): ReactElement {
  const swipe = useSwipe("up", onLead);
  return (
    <div
      {...swipe}
      className="flex flex-wrap items-center gap-2 rounded-md bg-warn-soft py-1 pr-1 pl-3 text-warn"
    >
      <Hand size={14} aria-hidden className="shrink-0" />
      <span className="min-w-0 flex-1 font-medium">
        {count === 1 ? "1 request needs you" : `${count} requests need you`}
      </span>
      {children}
      <Button size="small" onClick={onLead}>
        {isSheet ? "Review" : "Show"}
      </Button>
    </div>
  );
}

/** The last closed request without a tool call, while its run continues. */
function LastClosed({ view }: { readonly view: SessionView }): ReactElement | null {
  const { closed, runs } = view;
  const last = closed.at(-1);
  const text = last === undefined ? null : closingText(last);
  const run = runs.findLast(({ status }) => status === "running" || status === "suspended");
  if (last === undefined || text === null || run?.id !== last.runId) return null;
  if (callOf(last) !== null) return null;
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
