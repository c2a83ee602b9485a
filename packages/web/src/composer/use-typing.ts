import { type RefObject, useEffect } from "react";
import { isForComposer } from "../app/composer-letters.ts";
import { isBusy } from "../app/use-shortcuts.ts";

/** Keys that have a meaning on every page. */
const OTHERS = new Set(["?", "/", "[", "]", " "]);

/** Keys move in these by themselves. */
const OWN_KEYS = '[role="listbox"],[role="tablist"],[role="radiogroup"],fieldset';

/** Moves the focus into the message box when a person starts to type in the session. */
export function useTyping(
  box: RefObject<HTMLTextAreaElement | null>,
  { hasRequest }: { /** Digits answer an open request. */ readonly hasRequest: boolean },
): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      if (event.metaKey || event.ctrlKey || event.altKey) return;
      const { key, target } = event;
      if (!/^.$/u.test(key) || OTHERS.has(key)) return;
      if (hasRequest && /^\d$/u.test(key)) return;
      if (isBusy(target, false) || !isForComposer(target)) return;
      if (target instanceof Element && target.closest(OWN_KEYS) !== null) return;
      // The browser types the character into what has the focus after this event.
      box.current?.focus();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [box, hasRequest]);
}

/** Puts the focus into the message box of a session that was just opened. */
export function useFocusOnOpen(
  box: RefObject<HTMLTextAreaElement | null>,
  { hasRequest }: { readonly hasRequest: boolean },
): void {
  useEffect(() => {
    // It would open the keyboard of a phone, and take the digits of a request.
    if (matchMedia("(pointer: coarse)").matches || hasRequest) return;
    if (isBusy(document.activeElement, false)) return;
    box.current?.focus({ preventScroll: true });
    // Only when it opens: a request that is answered later does not move the focus.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
}

/** An empty message box gives the focus away while a request is open, so that digits answer it. Letters still go into the box. */
export function useGiveWay(
  box: RefObject<HTMLTextAreaElement | null>,
  { hasRequest }: { readonly hasRequest: boolean },
): void {
  useEffect(() => {
    const element = box.current;
    const page = document.getElementById("page");
    if (!hasRequest || element === null || page === null) return undefined;
    if (document.activeElement !== element || element.value !== "") return undefined;
    page.focus({ preventScroll: true });
    return () => {
      const { activeElement } = document;
      if (activeElement === page || activeElement === document.body)
        element.focus({ preventScroll: true });
    };
  }, [box, hasRequest]);
}
