import { lazy, type ReactElement } from "react";
import type { Place } from "./place.ts";
import { setPreload } from "./router.ts";

/** Loads the code of each page on demand. */
const LOADERS = {
  list: () => import("../list/list-page.tsx").then((m) => ({ default: m.ListPage })),
  session: () => import("../session/session-page.tsx").then((m) => ({ default: m.SessionPage })),
  inbox: () => import("../approvals/inbox-page.tsx").then((m) => ({ default: m.InboxPage })),
  analytics: () =>
    import("../analytics/analytics-page.tsx").then((m) => ({ default: m.AnalyticsPage })),
  settings: () =>
    import("../settings/settings-page.tsx").then((m) => ({ default: m.SettingsPage })),
};

const ListPage = lazy(LOADERS.list);
const SessionPage = lazy(LOADERS.session);
const InboxPage = lazy(LOADERS.inbox);
const AnalyticsPage = lazy(LOADERS.analytics);
const SettingsPage = lazy(LOADERS.settings);

export function Page({ place }: { readonly place: Place }): ReactElement {
  switch (place.page) {
    case "list":
      return <ListPage />;
    case "session":
      // The key makes each session a new page without state of the previous one.
      return <SessionPage key={place.id} id={place.id} />;
    case "inbox":
      return <InboxPage />;
    case "analytics":
      return <AnalyticsPage />;
    case "settings":
      return <SettingsPage />;
    default:
      return place satisfies never;
  }
}

// A failure to load is shown when the page is opened.
setPreload(({ page }) => void LOADERS[page]().catch(() => {}));
