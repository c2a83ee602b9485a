import { useEffect } from "react";
import { useWaitingCount } from "../api/waiting-count.ts";
import { titleText } from "../api/session-name.ts";

/** Sets the title of the tab, with the number of waiting requests. */
export function usePageTitle(title: string | null): void {
  const waiting = useWaitingCount();
  useEffect(() => {
    document.title = titleText(title, waiting);
  }, [title, waiting]);
}

/** Sets the icon of the tab and the badge of the installed app. */
export function useIconBadge(): void {
  const waiting = useWaitingCount();
  useEffect(() => {
    const icon = document.querySelector('link[rel="icon"]');
    icon?.setAttribute("href", waiting === 0 ? "/favicon.svg" : "/favicon-waiting.svg");
    if ("setAppBadge" in navigator) void navigator.setAppBadge(waiting).catch(() => {});
  }, [waiting]);
}
