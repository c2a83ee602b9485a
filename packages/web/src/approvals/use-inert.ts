import { useEffect, useState } from "react";

/** What has just come, or come back into view, cannot be meant by a press that was on its way already. */
const INERT_MS = 500;

/** True for a moment after the key has changed or the page has been shown again. */
export function useInert(key: string): boolean {
  const [ready, setReady] = useState<string | null>(null);
  useEffect(() => {
    let timer = setTimeout(() => setReady(key), INERT_MS);
    const onShown = (): void => {
      if (document.visibilityState !== "visible") return;
      clearTimeout(timer);
      setReady(null);
      timer = setTimeout(() => setReady(key), INERT_MS);
    };
    document.addEventListener("visibilitychange", onShown);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onShown);
    };
  }, [key]);
  return ready !== key;
}
