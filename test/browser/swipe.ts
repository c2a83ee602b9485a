import type { Page } from "playwright-core";

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A finger that moves from one point to another. */
export async function swipe(page: Page, from: Point, to: Point): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  const touch = async (type: "touchStart" | "touchMove", point: Point): Promise<void> =>
    void (await session.send("Input.dispatchTouchEvent", { type, touchPoints: [point] }));
  await touch("touchStart", from);
  await touch("touchMove", middle);
  await touch("touchMove", to);
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await session.detach();
}
