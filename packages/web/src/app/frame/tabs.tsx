import { Ellipsis } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { useWaitingCount } from "../../api/waiting-count.ts";
import { Count } from "../../ui/badge.tsx";
import { Link } from "../link.tsx";
import { openOverlay } from "../overlay.ts";
import { usePlace } from "../router.ts";
import { PLACES, useHere } from "./places.ts";

const TAB =
  "flex h-14 w-full flex-col items-center justify-center gap-0.5 text-2xs text-muted data-here:font-medium data-here:text-accent";

/** The tab bar of phones. A session needs the whole screen. */
export function Tabs(): ReactElement | null {
  const place = usePlace();
  const waiting = useWaitingCount();
  const here = useHere();
  if (place?.page === "session") return null;
  const isMore = place?.page !== "list" && place?.page !== "inbox";
  return (
    <nav
      aria-label="Pages"
      className="border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      <ul className="flex">
        {PLACES.slice(0, 2).map(({ page, name, icon: Icon }) => (
          <Tab key={page}>
            <Link to={{ page }} {...here(page)} className={TAB}>
              <span className="relative">
                <Icon size={20} aria-hidden="true" />
                {page === "inbox" && (
                  <span className="absolute -top-1.5 left-3.5">
                    <Count value={waiting} label="waiting" />
                  </span>
                )}
              </span>
              {name}
            </Link>
          </Tab>
        ))}
        <Tab>
          <button
            type="button"
            aria-haspopup="dialog"
            {...(isMore && { "data-here": "true" })}
            onClick={() => openOverlay("more")}
            className={TAB}
          >
            <Ellipsis size={20} aria-hidden="true" />
            More
          </button>
        </Tab>
      </ul>
    </nav>
  );
}

function Tab({ children }: { readonly children: ReactNode }): ReactElement {
  return <li className="flex-1">{children}</li>;
}
