import { errorText } from "@holdfast/client";
import { lazy, Suspense, useEffect, useRef, type ReactElement } from "react";
import { Button } from "../ui/button.tsx";
import { StatusRegion } from "./announce.tsx";
import { ErrorBoundary, type Failure } from "./error-boundary.tsx";
import { ConnectionBanner } from "./connection-badge.tsx";
import { OpenServerBanner } from "./open-server-banner.tsx";
import { toggleList, useListShown } from "./frame/list-shown.ts";
import { useNextWaiting } from "./frame/next-waiting.ts";
import { Rail } from "./frame/rail.tsx";
import { Tabs } from "./frame/tabs.tsx";
import { useNotificationClicks, useWaitingNotices } from "./notifications.ts";
import { closeOverlay, openOverlay, useOverlay } from "./overlay.ts";
import { useIconBadge } from "./page-title.ts";
import type { Place } from "./place.ts";
import { goTo, setPreload, usePlace, useShownPlace } from "./router.ts";
import { Empty } from "../ui/empty.tsx";
import { loaded } from "../ui/loaded.tsx";
import { ROOM_FOR_LIST, useMedia } from "../ui/screen/use-media.ts";
import { useShortcuts } from "./use-shortcuts.ts";

/** Loads the code of each page on demand. */
const LOADERS = {
  list: () => import("../list/list-page.tsx").then((m) => ({ default: m.ListPage })),
  session: () => import("../session/session-page.tsx").then((m) => ({ default: m.SessionPage })),
  inbox: () => import("../approvals/inbox/inbox-page.tsx").then((m) => ({ default: m.InboxPage })),
  analytics: () =>
    import("../analytics/analytics-page.tsx").then((m) => ({ default: m.AnalyticsPage })),
  settings: () =>
    import("../settings/settings-page.tsx").then((m) => ({ default: m.SettingsPage })),
  compare: () => import("../compare/compare-page.tsx").then((m) => ({ default: m.ComparePage })),
};
const ListColumn = loaded(() => import("../list/list-column.tsx").then((m) => m.ListColumn));
const SessionPage = lazy(LOADERS.session);
const OTHER_PAGES = {
  list: lazy(LOADERS.list),
  inbox: lazy(LOADERS.inbox),
  analytics: lazy(LOADERS.analytics),
  settings: lazy(LOADERS.settings),
  compare: lazy(LOADERS.compare),
};

// A failure to load is shown when the page is opened.
setPreload(({ page }) => void LOADERS[page]().catch(() => {}));

/** The frame of every page: navigation, connection state and overlays. */
export function Shell(): ReactElement {
  useShellShortcuts();
  useIconBadge();
  useWaitingNotices();
  useNotificationClicks();
  return (
    <div className="flex h-dvh flex-col">
      <OpenServerBanner />
      <ConnectionBanner />
      <Frame />
    </div>
  );
}

function Frame(): ReactElement {
  return (
    <div className="flex min-h-0 flex-1 flex-col md:flex-row">
      <a
        href="#page"
        onClick={(event) => {
          // The URL must not change: its hash names a message.
          event.preventDefault();
          document.getElementById("page")?.focus();
        }}
        className="sr-only focus:not-sr-only focus:fixed focus:left-2 focus:top-2 focus:z-50 focus:rounded focus:bg-surface focus:p-2"
      >
        Skip to content
      </a>
      <Rail />
      <ListBeside />
      <PageOutlet />
      <Tabs />
      <StatusRegion />
      <Overlays />
    </div>
  );
}

/** The list beside an open session, where there is room. */
function ListBeside(): ReactElement | null {
  const place = useShownPlace();
  const isShown = useListShown();
  const hasRoom = useMedia(ROOM_FOR_LIST);
  if (place?.page !== "session" || !isShown || !hasRoom) return null;
  return (
    // The session stays usable without the list.
    <ErrorBoundary fallback={() => null}>
      <ListColumn openId={place.id} />
    </ErrorBoundary>
  );
}

/** The current page. A new page takes the focus, as a loaded document would. */
function PageOutlet(): ReactElement {
  const place = useShownPlace();
  const outlet = useRef<HTMLDivElement>(null);
  const key = place === null ? "nowhere" : keyOf(place);
  const shown = useRef(key);
  useEffect(() => {
    if (shown.current === key) return;
    shown.current = key;
    const { current } = outlet;
    // An open dialog keeps the focus.
    if (document.querySelector('[role="dialog"]') !== null) return;
    if (current?.contains(document.activeElement) === false) current.focus({ preventScroll: true });
  }, [key]);
  return (
    <div
      id="page"
      ref={outlet}
      tabIndex={-1}
      className="flex min-h-0 min-w-0 flex-1 flex-col outline-none"
    >
      {/* The key resets the boundary when the page changes. */}
      <ErrorBoundary key={key} fallback={(failure) => <FailedPage {...failure} />}>
        <Suspense fallback={null}>
          {place === null ? <MissingPage /> : <Page place={place} />}
        </Suspense>
      </ErrorBoundary>
    </div>
  );
}

function Page({ place }: { readonly place: Place }): ReactElement {
  // The key makes each session a new page without state of the previous one.
  if (place.page === "session") return <SessionPage key={place.id} id={place.id} />;
  const Shown = OTHER_PAGES[place.page];
  return <Shown />;
}

function keyOf(place: Place): string {
  return place.page === "session" ? `session ${place.id}` : place.page;
}

function FailedPage({ error, retry }: Failure): ReactElement {
  return (
    <main>
      <h1 className="sr-only">Error</h1>
      <Empty
        title="This page could not be shown"
        action={
          <span className="flex gap-2">
            <Button onClick={retry}>Try again</Button>
            <Button onClick={() => location.reload()}>Reload</Button>
          </span>
        }
      >
        {errorText(error)}
      </Empty>
    </main>
  );
}

function MissingPage(): ReactElement {
  return (
    <main>
      <h1 className="sr-only">Not found</h1>
      <Empty title="Page not found">
        <a href="/" className="text-accent underline">
          All sessions
        </a>
      </Empty>
    </main>
  );
}

const NewSessionDialog = loaded(() =>
  import("../list/new-session-dialog.tsx").then((m) => m.NewSessionDialog),
);
const OVERLAYS = {
  palette: loaded(() => import("./palette.tsx").then((m) => m.Palette)),
  shortcuts: loaded(() => import("./shortcuts-dialog.tsx").then((m) => m.ShortcutsDialog)),
  compare: loaded(() => import("../compare/compare-dialog.tsx").then((m) => m.CompareDialog)),
  more: loaded(() => import("./frame/more-dialog.tsx").then((m) => m.MoreDialog)),
};

function Overlays(): ReactElement | null {
  const opened = useOverlay();
  if (opened === null) return null;
  if (opened.overlay === "new-session")
    return <NewSessionDialog start={opened.start} onClose={closeOverlay} />;
  const Shown = OVERLAYS[opened.overlay];
  return <Shown onClose={closeOverlay} />;
}

/** The shortcuts of every page. */
function useShellShortcuts(): void {
  const goToWaiting = useNextWaiting();
  const isSession = usePlace()?.page === "session";
  useShortcuts({
    "?": () => openOverlay("shortcuts"),
    "mod+k": () => openOverlay("palette"),
    c: () => openOverlay("new-session"),
    "g s": () => goTo({ page: "list" }),
    "g i": () => goTo({ page: "inbox" }),
    "g a": () => goTo({ page: "analytics" }),
    "g ,": () => goTo({ page: "settings" }),
    "alt+j": () => goToWaiting(1),
    "alt+k": () => goToWaiting(-1),
    "[": () => {
      if (isSession) toggleList();
    },
  });
}
