import type { Session } from "@holdfast/protocol";
import { useEffect, useRef } from "react";
import { announce } from "../app/announce.tsx";

/** Tells those who hear the page when work ends; what waits for them is told everywhere. */
export function useRunAnnouncements({ state }: Pick<Session, "state">): void {
  const before = useRef(state);
  useEffect(() => {
    if (before.current !== state && state === "idle") announce("Agent finished");
    if (before.current === "idle" && state === "running") announce("Agent is at work");
    before.current = state;
  }, [state]);
}
