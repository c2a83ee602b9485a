import { defined } from "@holdfast/client";
import type { SearchHit, Session } from "@holdfast/protocol";
import { Archive, Copy, Ellipsis, Hash, SquareCheck } from "lucide-react";
import { type ReactElement, useId } from "react";
import { sessionName } from "../api/session-name.ts";
import { Link } from "../app/link.tsx";
import { hrefOf, type Place } from "../app/place.ts";
import { classNames } from "../ui/class-names.ts";
import { Menu } from "../ui/menu.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { StateDot } from "../ui/state-dot.tsx";
import { copyText } from "../ui/toast.ts";
import { canArchive } from "./archive-sessions.ts";
import { HitLine, Hits } from "./hits.tsx";
import { waitsFor } from "./waits-for.ts";

export interface RowProps {
  readonly session: Session;
  readonly repository: string | null;
  readonly provider: string | null;
  readonly query: string | undefined;
  /** The matching message. */
  readonly hit: SearchHit | null;
  readonly isSelected: boolean;
  /** Whether any session is selected. */
  readonly isSelecting: boolean;
  readonly onSelect: (options: { readonly range: boolean }) => void;
  readonly onArchive: () => void;
}

export function SessionRow(props: RowProps): ReactElement {
  const { session, query, hit, isSelected } = props;
  const name = sessionName(session);
  const foundId = useId();
  // The link of a hit leads to the matching message.
  const to: Place = { page: "session", id: session.id, ...defined({ hash: hit?.messageId }) };
  return (
    <div
      className={classNames(
        "group relative flex h-full items-center gap-2 border-b border-line pr-2 pl-4 hover:bg-hover focus-within:bg-hover md:pr-4 md:pl-3",
        isSelected && "bg-accent-soft",
      )}
    >
      <Checkbox {...props} name={name} />
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <div className="flex items-baseline gap-2">
          <Link
            to={to}
            aria-describedby={hit === null ? undefined : foundId}
            data-row={session.id}
            className="min-w-0 flex-1 truncate font-medium outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
          >
            <Hits text={name} query={query} />
          </Link>
          <RelativeTime
            time={session.lastActiveAt}
            className="shrink-0 text-xs text-muted max-md:hidden"
          />
        </div>
        <div className="flex min-w-0 items-center gap-1.5 text-xs text-muted">
          <StateDot session={session} />
          <Details {...props} />
          <RelativeTime time={session.lastActiveAt} className="ml-auto shrink-0 md:hidden" />
        </div>
        {query !== undefined && <HitLine {...{ session, name, hit, query }} id={foundId} />}
      </div>
      <RowMenu {...props} name={name} />
    </div>
  );
}

function Checkbox({
  name,
  isSelected,
  isSelecting,
  onSelect,
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
        onClick={(event) => onSelect({ range: event.shiftKey })}
        onChange={ignore}
        className="size-4 accent-accent opacity-40 group-focus-within:opacity-100 group-hover:opacity-100 checked:opacity-100 pointer-coarse:opacity-100"
      />
    </label>
  );
}

/** The most important details first, because the line is truncated. */
function Details({ session, repository, provider, query }: RowProps): ReactElement {
  const { suspension, queued, phase, agentName, failure, removeAt, suspendedReason } = session;
  const parts: readonly (string | null)[] = [
    suspension === null ? null : waitsFor(suspension),
    session.status === "error" ? failure : null,
    suspendedReason,
    queued === 0 ? null : `${queued} queued`,
    phase === "initializing" ? null : phase,
    provider,
    agentName === sessionName(session) ? null : agentName,
  ];
  return (
    <span className="min-w-0 truncate">
      {repository !== null && (
        <>
          <Separator />
          <span className="text-fg">{repository}</span>
        </>
      )}
      {removeAt !== null && (
        <>
          <Separator />
          removed <RelativeTime time={removeAt} past="soon" />
        </>
      )}
      {parts.map(
        (part, index) =>
          part !== null && (
            <span key={index}>
              <Separator />
              <Hits text={part} query={query} />
            </span>
          ),
      )}
    </span>
  );
}

function Separator(): ReactElement {
  return (
    <span aria-hidden="true" className="px-1">
      ·
    </span>
  );
}

function RowMenu({
  session,
  name,
  isSelected,
  onSelect,
  onArchive,
}: RowProps & { readonly name: string }): ReactElement {
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
              void copyText(
                location.origin + hrefOf({ page: "session", id: session.id }),
                "Copied",
              ),
          },
          {
            label: "Copy id",
            icon: <Hash size={15} />,
            onSelect: () => void copyText(session.id, "Copied"),
          },
          {
            label: isSelected ? "Deselect" : "Select",
            icon: <SquareCheck size={15} />,
            hint: "X",
            onSelect: () => onSelect({ range: false }),
          },
          "line",
          {
            label: "Archive",
            icon: <Archive size={15} />,
            hint: "E",
            disabled: !canArchive(session),
            onSelect: onArchive,
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
