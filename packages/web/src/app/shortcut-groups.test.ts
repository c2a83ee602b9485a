import { expect, it } from "vitest";
import { shortcutGroups } from "./shortcut-groups.ts";

const SOURCES = import.meta.glob<string>(["../**/*.{ts,tsx}", "!**/*.test.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});
const NAMES: ReadonlyMap<string, string> = new Map([
  ["escape", "Esc"],
  ["arrowup", "↑"],
  ["arrowdown", "↓"],
]);

it("lists every key that a page handles", () => {
  const listed = new Set(
    shortcutGroups("Ctrl").flatMap(({ shortcuts }) =>
      shortcuts.flatMap(({ keys }) => keys.map((combination) => combination.join(" "))),
    ),
  );
  const handled = Object.values(SOURCES).flatMap(shortcutsIn);
  expect(handled.length).toBeGreaterThan(15);
  expect(handled.filter((name) => !listed.has(shown(name)))).toEqual([]);
});

/** The names in `useShortcuts({ … })`, each at the beginning of a line or alone. */
function shortcutsIn(source: string): readonly string[] {
  const blocks = source.matchAll(/useShortcuts\(\{(?<body>[\s\S]*?)\n? *\}\);/gu);
  return [...blocks].flatMap(({ groups }) =>
    [...(groups?.["body"] ?? "").matchAll(/^ *(?:"(?<quoted>[^"]+)"|(?<bare>[a-z]+)):/gmu)].map(
      (match) => match.groups?.["quoted"] ?? match.groups?.["bare"] ?? "",
    ),
  );
}

/** The shortcut in its displayed form. */
function shown(name: string): string {
  return name
    .split(/[ +]/u)
    .map((key) => {
      if (key === "mod") return "Ctrl";
      return NAMES.get(key) ?? key.charAt(0).toUpperCase() + key.slice(1);
    })
    .join(" ");
}
