export interface KeyPress {
  readonly key: string;
  readonly metaKey: boolean;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
}

const SEQUENCE_MS = 1_000;

/**
 * Keys as they are named in shortcuts: `?`, `mod+k` with the platform's command key, `alt+arrowup`,
 * and `g i` for one after the other. Returns the shortcut that is complete with this key, if any.
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

function nameOf({ key, metaKey, ctrlKey, altKey }: KeyPress): string {
  const command = metaKey || ctrlKey ? "mod+" : "";
  return `${command}${altKey ? "alt+" : ""}${key.toLowerCase()}`;
}
