import { openOverlay } from "./overlay.ts";
import { goTo } from "./router.ts";
import { useShortcuts } from "./use-shortcuts.ts";

/** The keys that work on every page. */
export function useShellShortcuts(): void {
  useShortcuts({
    "?": () => openOverlay("shortcuts"),
    "mod+k": () => openOverlay("palette"),
    c: () => openOverlay("new-session"),
    "g s": () => goTo({ page: "list" }),
    "g i": () => goTo({ page: "inbox" }),
    "g a": () => goTo({ page: "analytics" }),
    "g ,": () => goTo({ page: "settings" }),
  });
}
