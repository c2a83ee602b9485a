import { useEffect } from "react";
import { useWaitingCount } from "../api/waiting-count.ts";
import { titleText } from "../api/session-name.ts";

/** The tab says where one is, and how many things wait. */
export function usePageTitle(title: string | null): void {
  const waiting = useWaitingCount();
  useEffect(() => {
    document.title = titleText(title, waiting);
  }, [title, waiting]);
}

/** The tab's icon, and the installed app's badge. */
export function useIconBadge(): void {
  const waiting = useWaitingCount();
  useEffect(() => {
    const icon = document.querySelector('link[rel="icon"]');
    icon?.setAttribute("href", waiting === 0 ? "/favicon.svg" : "/favicon-waiting.svg");
    if ("setAppBadge" in navigator) void navigator.setAppBadge(waiting).catch(() => {});
  }, [waiting]);
}
