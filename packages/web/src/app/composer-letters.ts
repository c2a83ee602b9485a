/**
 * Letters belong to the message box where there is one: they are no shortcuts there. A focus in another part of the
 * page, such as the list of sessions, keeps its shortcuts.
 */
export function isForComposer(target: EventTarget | null): boolean {
  const main = document.querySelector("[data-composer]")?.closest("main") ?? null;
  if (main === null) return false;
  return !(target instanceof Element) || target.contains(main) || main.contains(target);
}

export function isLetter({ key }: Pick<KeyboardEvent, "key">): boolean {
  return /^\p{L}$/u.test(key);
}
