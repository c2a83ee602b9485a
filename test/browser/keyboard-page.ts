import type { Page } from "playwright-core";
import { expect } from "vitest";

/** The name of the element with the focus. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement: element } = document;
    const labels = element !== null && "labels" in element ? element.labels : null;
    const label = labels instanceof NodeList ? labels[0]?.textContent : null;
    return element?.getAttribute("aria-label") ?? label ?? element?.textContent ?? "";
  });
}

/** Presses Tab until the element has the focus, and checks that the focus is visible. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const visited: string[] = [];
  const isThere = (at: string): boolean => (name instanceof RegExp ? name.test(at) : at === name);
  while (!isThere(visited.at(-1) ?? "")) {
    await page.keyboard.press("Tab");
    visited.push(await focused(page));
    if (visited.length > 80) throw new Error(`${name} is not among ${visited.join(" | ")}`);
  }
  expect(await page.evaluate(isFocusShown)).toBe(true);
}

function isFocusShown(): boolean {
  const { activeElement: element } = document;
  if (element === null || !element.matches(":focus-visible")) return false;
  const shows = (each: Element | null, part?: string): boolean => {
    if (each === null) return false;
    const { outlineStyle, boxShadow } = getComputedStyle(each, part);
    return outlineStyle !== "none" || boxShadow !== "none";
  };
  const frame = element.closest("[data-composer]") ?? element.parentElement;
  return shows(element) || shows(element, "::after") || shows(frame);
}
