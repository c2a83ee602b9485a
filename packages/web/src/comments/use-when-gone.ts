import { useEffect, useRef } from "react";

/** Calls the newest function when the component goes away. */
export function useWhenGone(onGone: () => void): void {
  const latest = useRef(onGone);
  useEffect(() => {
    latest.current = onGone;
  });
  useEffect(() => () => latest.current(), []);
}
