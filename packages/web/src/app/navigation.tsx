import { BarChart3, Inbox, MessagesSquare, Settings } from "lucide-react";
import type { ReactElement } from "react";
import { useQuery } from "@tanstack/react-query";
import { useWaitingCount } from "../api/waiting-count.ts";
import { Count } from "../ui/badge.tsx";
import { Link } from "./link.tsx";
import type { PageName } from "./place.ts";
import { usePlace } from "./router.ts";
import { sessionCountsQuery } from "../api/queries.ts";

const PLACES = [
  { page: "list", name: "Sessions", icon: MessagesSquare },
  { page: "inbox", name: "Inbox", icon: Inbox },
  { page: "analytics", name: "Analytics", icon: BarChart3 },
  { page: "settings", name: "Settings", icon: Settings },
] as const;

/** The sidebar of wide screens. */
export function SideLinks(): ReactElement {
  const here = usePlace()?.page;
  return (
    <ul className="flex flex-col gap-0.5">
      {PLACES.map(({ page, name, icon: Icon }) => (
        <li key={page}>
          <Link
            to={{ page }}
            {...hereProps(here === page)}
            className="flex h-8 items-center gap-2.5 rounded-md px-2 text-muted hover:bg-hover hover:text-fg data-here:bg-hover data-here:font-medium data-here:text-fg"
          >
            <Icon size={16} aria-hidden="true" />
            <span className="flex-1">{name}</span>
            <PageCount page={page} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** The tab bar of phones. */
export function BottomLinks(): ReactElement {
  const here = usePlace()?.page;
  return (
    <ul className="flex">
      {PLACES.map(({ page, name, icon: Icon }) => (
        <li key={page} className="flex-1">
          <Link
            to={{ page }}
            {...hereProps(here === page)}
            className="flex h-14 flex-col items-center justify-center gap-0.5 text-2xs text-muted data-here:font-medium data-here:text-accent"
          >
            <span className="relative">
              <Icon size={20} aria-hidden="true" />
              {page === "inbox" && (
                <span className="absolute -top-1.5 left-3.5">
                  <PageCount page={page} />
                </span>
              )}
            </span>
            {name}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function hereProps(isHere: boolean) {
  return isHere ? ({ "data-here": "true", "aria-current": "page" } as const) : {};
}

function PageCount({ page }: { readonly page: PageName }): ReactElement | null {
  const waiting = useWaitingCount();
  const open = useQuery(sessionCountsQuery).data?.badge ?? 0;
  if (page === "inbox") return <Count value={waiting} label="waiting" />;
  if (page === "list") return <Count value={open} label="open" tone="plain" />;
  return null;
}
