import type { Session } from "@holdfast/protocol";
import { useCallback, useEffect, useSyncExternalStore } from "react";
import { statusWord } from "../../api/status-word.ts";
import { createSteps, type Step } from "./steps.ts";

const steps = createSteps({
  read: (session, before) =>
    import("./read-step.ts").then(({ readStep }) => readStep(session, before)),
  isHidden: () => document.visibilityState === "hidden",
});
document.addEventListener("visibilitychange", steps.wake);

/** What the agent of a session does; null if it is not running, or not known yet. */
export function useStep(session: Session): Step | null {
  const { id } = session;
  const subscribe = useCallback((changed: () => void) => steps.subscribe(id, changed), [id]);
  const step = useSyncExternalStore(subscribe, () => steps.of(id));
  return isRunning(session) ? step : null;
}

/** Keeps the steps of the visible sessions up to date. */
export function useWatchedSteps(visible: readonly Session[]): void {
  const running = visible.filter(isRunning);
  const key = JSON.stringify(running.map(({ id, lastTurn }) => ({ id, turnAt: lastTurn.at })));
  useEffect(() => steps.watch(JSON.parse(key)), [key]);
  useEffect(() => () => steps.watch([]), []);
}

function isRunning(session: Session): boolean {
  return statusWord(session) === "Running";
}
