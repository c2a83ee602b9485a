import { useCallback, useState, type RefCallback } from "react";

/**
 * Whether an element has been on the screen since this was about something else: what lies outside
 * of what is scrolled has not.
 */
export function useSeen(about: string): readonly [RefCallback<HTMLElement>, boolean] {
  const [seen, setSeen] = useState<string | null>(null);
  const watch = useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return undefined;
      const observer = new IntersectionObserver((entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        setSeen(about);
      });
      observer.observe(element);
      return () => observer.disconnect();
    },
    [about],
  );
  return [watch, seen === about];
}
