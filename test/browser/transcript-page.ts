import type { Locator, Page } from "playwright-core";

export function transcriptOf(page: Page): Locator {
  return page.getByRole("log", { name: "Transcript" });
}

/** A paragraph in the middle of the visible transcript. `top` is its position on the screen, or Infinity if it is gone. */
export async function anchorIn(page: Page): Promise<{ top(): Promise<number> }> {
  const list = transcriptOf(page);
  const text = await list.evaluate((element) => {
    const { top, height } = element.getBoundingClientRect();
    const paragraph = [...element.querySelectorAll("p")].find(
      (each) => each.getBoundingClientRect().top > top + height / 2,
    );
    return paragraph?.textContent ?? "";
  });
  if (text === "") throw new Error("the transcript shows no paragraph");
  const anchor = list.getByText(text, { exact: true });
  const top = async (): Promise<number> =>
    anchor.evaluateAll(([element]) => element?.getBoundingClientRect().top ?? Infinity);
  return { top };
}

export function distanceFromEnd(page: Page): Promise<number> {
  return transcriptOf(page).evaluate(
    ({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight,
  );
}

/** Whether the whole target can be clicked: it is on the screen, and nothing covers it. */
export async function isInReach(target: Locator): Promise<boolean> {
  await target.scrollIntoViewIfNeeded();
  return target.evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const corners = [
      [left + 4, top + 4],
      [right - 4, top + 4],
      [left + 4, bottom - 4],
      [right - 4, bottom - 4],
    ] as const;
    return corners.every(([x, y]) => element.contains(document.elementFromPoint(x, y)));
  });
}
