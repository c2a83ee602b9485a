import { Command, Moon, PanelLeft, Plus, Sun } from "lucide-react";
import type { ReactElement } from "react";
import { useWaitingCount } from "../../api/waiting-count.ts";
import { Count } from "../../ui/badge.tsx";
import { IconButton } from "../../ui/button.tsx";
import { ROOM_FOR_LIST, useMedia } from "../../ui/screen/use-media.ts";
import { ConnectionBadge } from "../connection-badge.tsx";
import { Link } from "../link.tsx";
import { openOverlay } from "../overlay.ts";
import { usePlace } from "../router.ts";
import { chooseTheme, useTheme } from "../theme.ts";
import { toggleList, useListShown } from "./list-shown.ts";
import { PLACES, useHere } from "./places.ts";

/** The icons at the left of a wide screen. */
export function Rail(): ReactElement {
  const waiting = useWaitingCount();
  const here = useHere();
  return (
    <nav
      aria-label="Pages"
      className="hidden w-14 shrink-0 flex-col items-center gap-1 border-r border-line bg-sunken py-3 md:flex"
    >
      <img src="/favicon.svg" alt="Holdfast" width="24" height="24" className="mb-1" />
      <IconButton
        label="New session (C)"
        tone="primary"
        className="mb-1"
        onClick={() => openOverlay("new-session")}
      >
        <Plus size={18} aria-hidden="true" />
      </IconButton>
      <ul className="flex flex-col gap-1">
        {PLACES.map(({ page, name, icon: Icon }) => (
          <li key={page}>
            <Link
              to={{ page }}
              {...here(page)}
              title={name}
              className="touch-target relative flex size-10 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-fg data-here:bg-accent-soft data-here:text-accent"
            >
              <Icon size={19} aria-hidden="true" />
              <span className="sr-only">{name}</span>
              {page === "inbox" && (
                <span className="absolute -top-0.5 -right-0.5">
                  <Count value={waiting} label="waiting" />
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
      <div className="mt-auto flex flex-col items-center gap-1">
        <ListToggle />
        <IconButton label="Commands (Ctrl K)" onClick={() => openOverlay("palette")}>
          <Command size={17} aria-hidden="true" />
        </IconButton>
        <IconButton label="Keyboard shortcuts (?)" onClick={() => openOverlay("shortcuts")}>
          <span aria-hidden="true">?</span>
        </IconButton>
        <ThemeButton />
        <ConnectionBadge dotOnly />
      </div>
    </nav>
  );
}

/** Only where a list can be beside the page. */
function ListToggle(): ReactElement | null {
  const isShown = useListShown();
  const hasRoom = useMedia(ROOM_FOR_LIST);
  if (usePlace()?.page !== "session" || !hasRoom) return null;
  return (
    <IconButton
      label={isShown ? "Hide the list ([)" : "Show the list ([)"}
      aria-expanded={isShown}
      onClick={toggleList}
    >
      <PanelLeft size={17} aria-hidden="true" />
    </IconButton>
  );
}

function ThemeButton(): ReactElement {
  useTheme();
  const isDark = document.documentElement.dataset["theme"] === "dark";
  const Icon = isDark ? Sun : Moon;
  return (
    <IconButton
      label={isDark ? "Light theme" : "Dark theme"}
      onClick={() => chooseTheme(isDark ? "light" : "dark")}
    >
      <Icon size={17} aria-hidden="true" />
    </IconButton>
  );
}
