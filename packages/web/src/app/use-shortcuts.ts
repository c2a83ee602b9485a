import { useEffect, useRef } from "react";
import { createKeyReader } from "./key-reader.ts";

export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** Keys for the whole page while the caller is shown. Silent where somebody types or a dialog is open. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });
  useEffect(() => {
    const read = createKeyReader(Date.now);
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      const isCommand = event.metaKey || event.ctrlKey;
      if (isBusy(event.target, isCommand)) return;
      const found = read(event, new Set(Object.keys(latest.current)));
      if (found === null) return;
      event.preventDefault();
      latest.current[found]?.(event);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

const TYPED_INTO = "input:not([type=checkbox],[type=radio]),textarea,select,[contenteditable=true]";

function isBusy(target: EventTarget | null, isCommand: boolean): boolean {
  if (document.querySelector('[role="dialog"]') !== null) return true;
  if (!(target instanceof Element)) return false;
  if (target.closest('[role="menu"]') !== null) return true;
  return !isCommand && target.closest(TYPED_INTO) !== null;
}
