import { Command, Moon, Plus, Sun } from "lucide-react";
import type { ReactElement } from "react";
import { Button, IconButton } from "../ui/button.tsx";
import { StatusRegion } from "./announce.tsx";
import { ConnectionBadge, ConnectionBanner } from "./connection-badge.tsx";
import { BottomLinks, SideLinks } from "./navigation.tsx";
import { useNotificationClicks, useWaitingNotices } from "./notifications.ts";
import { openOverlay } from "./overlay.ts";
import { Overlays } from "./overlays.tsx";
import { PageOutlet } from "./page-outlet.tsx";
import { useIconBadge } from "./page-title.ts";
import { chooseTheme, useTheme } from "./theme.ts";
import { useShellShortcuts } from "./use-shell-shortcuts.ts";

/** What is around every page: the way about, whether it is live, and what lies over it. */
export function Shell(): ReactElement {
  useShellShortcuts();
  useIconBadge();
  useWaitingNotices();
  useNotificationClicks();
  return (
    <div className="flex h-dvh flex-col md:flex-row">
      <a
        href="#page"
        onClick={(event) => {
          // The address stays: what follows its # is a message.
          event.preventDefault();
          document.getElementById("page")?.focus();
        }}
        className="sr-only focus:not-sr-only focus:fixed focus:left-2 focus:top-2 focus:z-50 focus:rounded focus:bg-surface focus:p-2"
      >
        Skip to the page
      </a>
      <nav
        aria-label="Pages"
        className="hidden w-52 shrink-0 flex-col gap-3 border-r border-line p-3 md:flex"
      >
        <div className="flex items-center gap-2 px-1">
          <img src="/favicon.svg" alt="" width="22" height="22" />
          <span className="text-[15px] font-semibold tracking-tight">Holdfast</span>
        </div>
        <Button
          tone="primary"
          icon={<Plus size={16} aria-hidden="true" />}
          onClick={() => openOverlay("new-session")}
        >
          New session
        </Button>
        <SideLinks />
        <div className="mt-auto flex flex-col items-start gap-1">
          <ConnectionBadge />
        </div>
        <div className="flex items-center gap-1">
          <IconButton label="Commands (Ctrl K)" onClick={() => openOverlay("palette")}>
            <Command size={16} aria-hidden="true" />
          </IconButton>
          <ThemeButton />
          <IconButton label="Keyboard shortcuts (?)" onClick={() => openOverlay("shortcuts")}>
            <span aria-hidden="true">?</span>
          </IconButton>
        </div>
      </nav>
      <ConnectionBanner />
      <PageOutlet />
      <nav
        aria-label="Pages"
        className="border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
      >
        <BottomLinks />
      </nav>
      <StatusRegion />
      <Overlays />
    </div>
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
      <Icon size={16} aria-hidden="true" />
    </IconButton>
  );
}
