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

/** The folder with the handlers of a group whose keys work only inside a part of the page. */
const FOLDERS: ReadonlyMap<string, string> = new Map([
  ["Requests", "../approvals/"],
  ["While finding", "../session/find-bar.tsx"],
  ["Writing a message", "../composer/"],
]);
/** Done by the browser and by dialogs. */
const NATIVE = new Set(["Close a dialog or menu", "Open"]);
const EVENT_KEYS: ReadonlyMap<string, string> = new Map([
  ["Esc", '"Escape"'],
  ["↑", '"ArrowUp"'],
  ["↓", '"ArrowDown"'],
  ["4–9", "[1-9]"],
  ["1", "[1-9]"],
  ["2", "[1-9]"],
  ["3", "[1-9]"],
]);

const LISTED = shortcutGroups("Ctrl").flatMap(({ name: group, shortcuts }) =>
  shortcuts.flatMap(({ action, keys }) =>
    keys.map((combination) => ({ group, action, combination })),
  ),
);
const HANDLED = Object.values(SOURCES).flatMap(shortcutsIn);

it("lists every key that a page handles", () => {
  const listed = new Set(LISTED.map(({ combination }) => combination.join(" ")));
  expect(HANDLED.length).toBeGreaterThan(15);
  expect(HANDLED.filter((name) => !listed.has(shown(name)))).toEqual([]);
});

it("lists only keys that do something", () => {
  const handled = new Set(HANDLED.map(shown));
  const idle = LISTED.filter(({ group, action, combination }) => {
    if (NATIVE.has(action)) return false;
    const folder = FOLDERS.get(group);
    if (folder === undefined) return !handled.has(combination.join(" "));
    const key = combination.at(-1) ?? "";
    const literal = EVENT_KEYS.get(key) ?? `"${key}"`;
    const sources = Object.entries(SOURCES).filter(([path]) => path.startsWith(folder));
    return (
      !handled.has(combination.join(" ")) && !sources.some(([, text]) => text.includes(literal))
    );
  });
  expect(idle.map(({ action }) => action)).toEqual([]);
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
