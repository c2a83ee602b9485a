import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** The size of a target that a thumb hits, in CSS pixels. */
const THUMB_PX = 44;

/** The accessibility and layout faults of the current page; on a touch screen also the targets that are too small. */
export async function faultsOf(page: Page, name: string): Promise<readonly string[]> {
  await page.evaluate(() =>
    Promise.all(document.getAnimations().map(({ finished }) => finished)).catch(() => {}),
  );
  const isLoaded = await page.evaluate(() => "axe" in globalThis);
  const { violations } = await new AxeBuilder({ page, ...(isLoaded && { axeSource: "void 0" }) })
    // The page has no frames, so legacy mode suffices.
    .setLegacyMode()
    .options({ resultTypes: ["violations"] })
    .withTags(RULES)
    .analyze();
  const overflow = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth - clientWidth;
  });
  return [
    ...violations.flatMap(({ id, nodes }) =>
      nodes.map(
        ({ target, failureSummary }) =>
          `${name}, ${id}, ${target.join(" ")}: ${failureSummary ?? ""}`,
      ),
    ),
    ...(overflow > 0 ? [`${name} is ${overflow} px too wide`] : []),
    ...(await page.evaluate(smallTargets, THUMB_PX)).map((target) => `${name}, small: ${target}`),
  ];
}

/** Runs in the page. Links within a text are as high as its lines and do not count. */
function smallTargets(size: number): readonly string[] {
  if (!matchMedia("(pointer: coarse)").matches) return [];
  const targets = document.querySelectorAll(
    "a[href], button, input, select, textarea, summary, [role=tab], [role=option], [role=menuitem]",
  );
  const isShown = (element: Element): boolean =>
    element.checkVisibility({ visibilityProperty: true }) &&
    element.closest("[aria-hidden=true], [inert], .sr-only") === null;
  const isInText = (element: Element): boolean =>
    element.matches("a") &&
    getComputedStyle(element).display === "inline" &&
    element.parentElement?.textContent !== element.textContent;
  /** A pseudo-element can make the target larger than its box. */
  const isHit = (element: Element, x: number, y: number): boolean => {
    const hit = document.elementFromPoint(x, y);
    return hit !== null && element.contains(hit);
  };
  return [...targets].flatMap((target) => {
    const element = target.closest("label") ?? target;
    if (!isShown(target) || isInText(target)) return [];
    const box = element.getBoundingClientRect();
    if (box.width >= size && box.height >= size) return [];
    element.scrollIntoView({ block: "center", behavior: "instant" });
    const { x, y, width, height } = element.getBoundingClientRect();
    const [middle, centre, reach] = [x + width / 2, y + height / 2, size / 2 - 1] as const;
    const around = [
      [middle, centre - reach],
      [middle, centre + reach],
      [middle - reach, centre],
      [middle + reach, centre],
    ] as const;
    if (around.every(([left, top]) => isHit(element, left, top))) return [];
    const name = target.getAttribute("aria-label") ?? target.textContent?.trim().slice(0, 40);
    return [`${target.localName} ${name}, ${Math.round(width)} × ${Math.round(height)} px`];
  });
}
