import { useSyncExternalStore } from "react";
import { pageStorage } from "../api/page-storage.ts";
import { createListeners } from "../api/store.ts";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export const THEME_NAMES = {
  system: "System",
  light: "Light",
  dark: "Dark",
} as const satisfies Record<Theme, string>;

const KEY = "holdfast.theme";
/** The values of `--color-bg`, for the frame of the browser. */
const GROUNDS = { light: "#f6f7f6", dark: "#111514" } as const;

const listeners = createListeners();
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
systemIsDark.addEventListener("change", show);

/** The chosen theme and its setter. `before.js` applies the first one before the page is painted. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(listeners.add, chosenTheme), chooseTheme];
}

function chosenTheme(): Theme {
  const stored = pageStorage.get(KEY);
  return THEMES.find((theme) => theme === stored) ?? "system";
}

export function chooseTheme(theme: Theme): void {
  pageStorage.set(KEY, theme === "system" ? null : theme);
  show();
  listeners.notify();
}

function show(): void {
  const theme = chosenTheme();
  const shown = theme === "system" ? (systemIsDark.matches ? "dark" : "light") : theme;
  document.documentElement.dataset["theme"] = shown;
  document.querySelector('meta[name="theme-color"]')?.setAttribute("content", GROUNDS[shown]);
}
