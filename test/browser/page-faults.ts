import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** The accessibility and layout faults of the current page. */
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
  ];
}
