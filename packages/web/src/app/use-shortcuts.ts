import { useEffect, useRef } from "react";
import { isForComposer, isLetter } from "./composer-letters.ts";

export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** All shortcuts of the page: the last key of a sequence is not a shortcut of its own. */
const mounted = new Set<{ readonly current: Shortcuts }>();

/** Page-wide shortcuts while the caller is mounted. Disabled while typing and while a dialog is open. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });
  useEffect(() => {
    mounted.add(latest);
    const read = createKeyReader(Date.now);
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      const isCommand = event.metaKey || event.ctrlKey;
      if (isBusy(event.target, isCommand || isAltLetter(event))) return;
      if (!isCommand && !event.altKey && isLetter(event) && isForComposer(event.target)) return;
      const shortcut = read(
        event,
        new Set([...mounted].flatMap((all) => Object.keys(all.current))),
      );
      const act = shortcut === null ? undefined : latest.current[shortcut];
      if (act === undefined) return;
      event.preventDefault();
      act(event);
    };
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("keydown", onKey);
      mounted.delete(latest);
    };
  }, []);
}

const TYPED_INTO = "input:not([type=checkbox],[type=radio]),textarea,select,[contenteditable=true]";

/** Whether a dialog, a menu or a field has the keys. */
export function isBusy(target: EventTarget | null, isCommand: boolean): boolean {
  if (document.querySelector('[role="dialog"]') !== null) return true;
  if (!(target instanceof Element)) return false;
  if (target.closest('[role="menu"]') !== null) return true;
  return !isCommand && target.closest(TYPED_INTO) !== null;
}

/** Alt with a letter types nothing that anybody needs in a message. */
function isAltLetter(press: KeyPress): boolean {
  return /^alt\+[a-z]$/u.test(nameOf(press));
}

export type KeyPress = Pick<KeyboardEvent, "key" | "metaKey" | "ctrlKey" | "altKey"> &
  Partial<Pick<KeyboardEvent, "code">>;

const SEQUENCE_MS = 1_000;

/**
 * Matches key presses with shortcuts such as `?`, `mod+k` with the platform's command key, `alt+arrowup`, and the
 * sequence `g i`. Returns the shortcut that this key completes, or null.
 */
export function createKeyReader(now: () => number) {
  let prefix: { readonly key: string; readonly at: number } | null = null;
  return (press: KeyPress, shortcuts: ReadonlySet<string>): string | null => {
    const name = nameOf(press);
    const before = prefix !== null && now() - prefix.at < SEQUENCE_MS ? prefix.key : null;
    prefix = null;
    const sequence = `${before} ${name}`;
    if (before !== null && shortcuts.has(sequence)) return sequence;
    if (shortcuts.has(name)) return name;
    if ([...shortcuts].some((shortcut) => shortcut.startsWith(`${name} `)))
      prefix = { key: name, at: now() };
    return null;
  };
}

function nameOf({ key, code = "", metaKey, ctrlKey, altKey }: KeyPress): string {
  const command = metaKey || ctrlKey ? "mod+" : "";
  if (!altKey) return command + key.toLowerCase();
  // On a Mac, Alt turns a letter into another character.
  const letter = /^Key([A-Z])$/u.exec(code)?.[1];
  return `${command}alt+${(letter ?? key).toLowerCase()}`;
}
