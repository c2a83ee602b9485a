import { defined } from "@holdfast/client";
import type { SearchHit, Session } from "@holdfast/protocol";
import { Archive, Copy, Ellipsis, GitFork, Hash, SquareCheck } from "lucide-react";
import { lazy, memo, type ReactElement, type ReactNode, Suspense, useId } from "react";
import { sessionName } from "../../api/session-name.ts";
import { statusWord } from "../../api/status-word.ts";
import { Link } from "../../app/link.tsx";
import { hrefOf, type Place } from "../../app/place.ts";
import { countsName, countsText, someChanges } from "../../changes/counts.ts";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Menu } from "../../ui/menu.tsx";
import { nowWords } from "../../transcript/now/now-words.ts";
import { Clock } from "../../ui/clock.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { StateDot } from "../../ui/state-dot.tsx";
import { useSwipe } from "../../ui/screen/use-swipe.ts";
import { copyText } from "../../ui/toast.ts";
import { canArchive } from "../archive-sessions.ts";
import { useStep } from "../steps/use-steps.ts";
import { HitLine, Hits } from "./hits.tsx";
import { summaryOf } from "./row-summary.ts";
import { waitsFor } from "./waits-for.ts";

const RequestLine = lazy(() =>
  import("../answer/request-line.tsx").then((m) => ({ default: m.RequestLine })),
);

/** A column is as narrow as a phone, and has neither check boxes nor menus. */
export type ListLook = "page" | "column";

export interface RowActions {
  readonly select: (id: string, options: { readonly range: boolean }) => void;
  /** Asks first if agents are at work. */
  readonly archive: (ids: readonly string[], onArchived?: () => void) => void;
  /** Shows the requests of the session over the list. */
  readonly answer: (id: string) => void;
}

export interface RowProps {
  readonly session: Session;
  readonly look: ListLook;
  readonly repository: string | null;
  /** The name of the agent. */
  readonly agent: string | null;
  readonly query: string | undefined;
  /** The matching message. */
  readonly hit: SearchHit | null;
  readonly isUnread: boolean;
  /** It is the session that is open beside the list. */
  readonly isOpen: boolean;
  readonly isSelected: boolean;
  /** Whether any session is selected. */
  readonly isSelecting: boolean;
  readonly actions: RowActions;
}

export const SessionRow = memo(function SessionRow(props: RowProps): ReactElement {
  const { session, look, query, hit, isUnread, isOpen, isSelected } = props;
  const name = sessionName(session);
  const foundId = useId();
  const isPage = look === "page";
  const swipe = useSwipe("left", () => {
    if (canArchive(session)) props.actions.archive([session.id]);
  });
  // The link of a hit leads to the matching message.
  const to: Place = { page: "session", id: session.id, ...defined({ hash: hit?.messageId }) };
  return (
    <div
      {...(isPage && swipe)}
      className={classNames(
        "group relative flex h-full touch-pan-y items-center gap-2 pr-2 hover:bg-hover focus-within:bg-hover",
        isPage ? "border-b border-line pl-4 md:pr-4 md:pl-3" : "pl-3",
        (isSelected || isOpen) && "bg-accent-soft",
      )}
    >
      {isPage && <Checkbox {...props} name={name} />}
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <div className="flex items-center gap-2">
          <StateDot session={session} dotOnly />
          {session.forkedFrom !== null && (
            <span title="Fork" className="shrink-0 text-muted">
              <GitFork size={13} aria-hidden="true" />
              <span className="sr-only">Fork</span>
            </span>
          )}
          <Link
            to={to}
            aria-describedby={hit === null ? undefined : foundId}
            aria-current={isOpen ? "page" : undefined}
            data-row={session.id}
            className={classNames(
              "min-w-0 flex-1 truncate outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent",
              isUnread ? "font-semibold" : "font-medium",
            )}
          >
            <Hits text={name} query={query} />
          </Link>
          {isUnread && <UnreadMark />}
          <RelativeTime time={session.lastTurn.at} className="shrink-0 text-xs text-muted" />
        </div>
        <Details {...props} name={name} />
        {query !== undefined && <HitLine {...{ session, name, hit, query }} id={foundId} />}
      </div>
      {isPage && statusWord(session) === "Needs you" && <AnswerButton {...props} name={name} />}
      {isPage && <RowMenu {...props} name={name} />}
    </div>
  );
});

function AnswerButton({
  session,
  name,
  actions,
}: RowProps & { readonly name: string }): ReactElement {
  return (
    <Button
      size="small"
      aria-label={`Answer ${name}`}
      title="Answer (A)"
      className="relative z-10 shrink-0"
      onClick={() => actions.answer(session.id)}
    >
      Answer
    </Button>
  );
}

function UnreadMark(): ReactElement {
  return (
    <span title="Unread" className="size-2 shrink-0 rounded-full bg-accent">
      <span className="sr-only">Unread</span>
    </span>
  );
}

function Checkbox({
  session,
  name,
  isSelected,
  isSelecting,
  actions,
}: RowProps & { readonly name: string }): ReactElement {
  return (
    <label
      className={classNames(
        "relative z-10 flex size-8 shrink-0 items-center justify-center pointer-coarse:size-11",
        // Hidden on phones until the menu starts a selection.
        !isSelecting && "max-md:pointer-coarse:hidden",
      )}
    >
      <input
        type="checkbox"
        checked={isSelected}
        aria-label={`Select ${name}`}
        onClick={(event) => actions.select(session.id, { range: event.shiftKey })}
        onChange={ignore}
        className="size-4 accent-accent opacity-40 group-focus-within:opacity-100 group-hover:opacity-100 checked:opacity-100 pointer-coarse:opacity-100"
      />
    </label>
  );
}

/** What happened last, and where. */
function Details({
  session,
  look,
  repository,
  agent,
  query,
  hit,
  name,
}: RowProps & { readonly name: string }): ReactElement {
  const step = useStep(session);
  const { word, request, text, tone } = summaryOf(session, {
    name,
    hasHit: hit !== null,
    hasStep: step !== null,
  });
  const isAlone = text === null && request === null;
  // In a column, the heading and the dot say it already.
  const isWordShown = word !== null && (look === "page" || isAlone);
  const changes = someChanges(session.changes);
  const isPage = look === "page";
  return (
    <div className="flex min-w-0 items-center gap-3 pl-4 text-xs text-muted">
      <span className="min-w-0 flex-1 truncate">
        {isWordShown && (
          <span
            className={classNames(
              "font-medium",
              TONES[tone],
              // On a phone, the request needs the room.
              request !== null && "max-md:hidden",
            )}
          >
            {word}
            {!isAlone && <Separator />}
          </span>
        )}
        {request !== null && (
          <Suspense fallback={waitsFor(request)}>
            <RequestLine sessionId={session.id} suspension={request} query={query} />
          </Suspense>
        )}
        {step !== null && (
          <>
            <span className="text-accent">{nowWords(step.now, { ...step, agent })}</span>
            <Separator />
            <Clock since={step.since} className="tabular-nums" />
          </>
        )}
        {(request !== null || step !== null) && text !== null && <Separator />}
        {text !== null && <Hits text={text} query={query} />}
        {session.removeAt !== null && (
          <>
            <Separator />
            removed <RelativeTime time={session.removeAt} past="soon" />
          </>
        )}
      </span>
      <span
        className={classNames("flex min-w-0 items-center gap-2", isPage ? "shrink-0" : "max-w-2/5")}
      >
        {changes !== null && (
          <span
            title={countsName(changes)}
            className={classNames("shrink-0 tabular-nums", !isPage && "sr-only")}
          >
            {countsText(changes)}
          </span>
        )}
        {isPage && agent !== null && <Where className="max-md:sr-only">{agent}</Where>}
        {repository !== null && <Where>{repository}</Where>}
      </span>
    </div>
  );
}

const TONES = {
  plain: "text-muted",
  accent: "text-accent",
  warn: "text-warn",
  danger: "text-danger",
} as const;

function Where({
  className = "",
  children,
}: {
  readonly className?: string;
  readonly children: ReactNode;
}): ReactElement {
  return <span className={classNames("max-w-40 truncate", className)}>{children}</span>;
}

function Separator(): ReactElement {
  return (
    <span aria-hidden="true" className="px-1 font-normal text-muted">
      ·
    </span>
  );
}

function RowMenu({
  session,
  name,
  isSelected,
  actions,
}: RowProps & { readonly name: string }): ReactElement {
  const { id } = session;
  return (
    <span className="relative z-10">
      <Menu
        label={`More about ${name}`}
        size="small"
        className="text-muted"
        items={[
          {
            label: "Copy link",
            icon: <Copy size={15} />,
            onSelect: () =>
              void copyText(location.origin + hrefOf({ page: "session", id }), "Copied"),
          },
          {
            label: "Copy id",
            icon: <Hash size={15} />,
            onSelect: () => void copyText(id, "Copied"),
          },
          {
            label: isSelected ? "Deselect" : "Select",
            icon: <SquareCheck size={15} />,
            hint: "X",
            onSelect: () => actions.select(id, { range: false }),
          },
          "line",
          {
            label: "Archive",
            icon: <Archive size={15} />,
            hint: "E",
            disabled: !canArchive(session),
            onSelect: () => actions.archive([id]),
          },
        ]}
      >
        <Ellipsis size={16} aria-hidden="true" />
      </Menu>
    </span>
  );
}

/** The click handler does the work, because it knows the shift key. */
function ignore(): void {}
