import { useCallback, useMemo, useState } from "react";
import { pageStorage } from "../api/page-storage.ts";
import type { Scope } from "../changes/scope.ts";

export const PANEL_TABS = ["files", "plan", "terminal", "usage"] as const;
export type PanelTab = (typeof PANEL_TABS)[number];

/** The panel beside the transcript. */
export interface Panel {
  /** Null while the panel is closed. */
  readonly tab: PanelTab | null;
  /** Whose changes the files are. */
  readonly scope: Scope;
  readonly setScope: (scope: Scope) => void;
  readonly show: (tab: PanelTab) => void;
  /** Shows what a run changed. */
  readonly showRun: (runId: string) => void;
  /** Opens the panel at the tab that was shown last, or closes it. */
  readonly toggle: () => void;
  readonly close: () => void;
}

const LAST_TAB = "holdfast:panel";

export function usePanel(): Panel {
  const [tab, setTab] = useState<PanelTab | null>(null);
  const [scope, setScope] = useState<Scope>({ of: "session" });
  const show = useCallback((next: PanelTab) => {
    pageStorage.set(LAST_TAB, next);
    setTab(next);
  }, []);
  const showRun = useCallback(
    (runId: string) => {
      setScope({ of: "run", runId });
      show("files");
    },
    [show],
  );
  const close = useCallback(() => {
    setTab(null);
    setScope({ of: "session" });
  }, []);
  const toggle = useCallback(() => (tab === null ? show(lastTab()) : close()), [tab, show, close]);
  return useMemo(
    () => ({ tab, scope, setScope, show, showRun, toggle, close }),
    [tab, scope, show, showRun, toggle, close],
  );
}

function lastTab(): PanelTab {
  const stored = pageStorage.get(LAST_TAB);
  return PANEL_TABS.find((each) => each === stored) ?? "files";
}
