import { BarChart3, Inbox, MessagesSquare, Settings } from "lucide-react";
import { usePlace } from "../router.ts";

export const PLACES = [
  { page: "list", name: "Sessions", keys: "G S", icon: MessagesSquare },
  { page: "inbox", name: "Inbox", keys: "G I", icon: Inbox },
  { page: "analytics", name: "Analytics", keys: "G A", icon: BarChart3 },
  { page: "settings", name: "Settings", keys: "G ,", icon: Settings },
] as const;

/** The props of the link to the page that is shown: an open session belongs to the sessions. */
export function useHere() {
  const page = usePlace()?.page;
  return (name: (typeof PLACES)[number]["page"]) =>
    name === (page === "session" ? "list" : page)
      ? ({ "data-here": "true", "aria-current": page === "session" ? "true" : "page" } as const)
      : {};
}
