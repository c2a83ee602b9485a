import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ask, askAll } from "../../packages/server/src/providers/testing/script.ts";
import { repeat } from "../../packages/server/src/domain/testing/repeat.ts";
import { eventually } from "./eventually.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";
import { askForChange, askForCommand, cardOf, optionOf, untilReady } from "./requests-page.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

const THUMB_PX = 44;
const LINES = repeat({ short: 40, long: 120 });

describe("the inbox", () => {
  it("lists the requests of all sessions, and removes answered ones everywhere", async () => {
    await askForCommand(rig);
    const other = await askForCommand(rig, { title: "Drop a table" });
    const inbox = await rig.open("/inbox");
    await cardOf(inbox).waitFor();
    await cardOf(inbox, "Drop a table").waitFor();
    const list = await rig.open("/", { beside: inbox });
    await badge(list, 2).waitFor();
    await eventually(() => list.title()).toContain("2");

    const { suspensions } = await rig.client.suspensions();
    const suspension = suspensions.find(({ sessionId }) => sessionId === other);
    await rig.client.sessions.answer(other, { suspensionId: suspension?.id ?? "", answer: "no" });
    await cardOf(inbox, "Drop a table").waitFor({ state: "detached" });
    await badge(list, 1).waitFor();
    await untilReady(inbox);
    await optionOf(inbox, "Allow once").click();
    await inbox.getByText("Nothing needs you").waitFor();
    await badge(list, 1).waitFor({ state: "detached" });
  });

  it("shows a whole change with its short path, and links to its session, on a phone", async () => {
    const id = await askForChange(rig, { lines: LINES });
    const page = await rig.open("/inbox", { phone: true });
    const request = cardOf(page, "Edit main.ts");
    await request.getByText("src/main.ts", { exact: true }).waitFor();
    await page.keyboard.press("1");
    expect(await rig.client.sessions.get(id)).toMatchObject({ state: "suspended" });
    const link = page.getByRole("link", { name: "Changes much" });
    expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(THUMB_PX);
    await request.getByText(`line ${LINES - 1} after`, { exact: true }).scrollIntoViewIfNeeded();
    await optionOf(page, "Do not").click();
    await page.getByText("Nothing needs you").waitFor();
    await rig.until(id, ({ state }) => state === "idle");
  });

  it("groups requests by session, is answered with keys, and moves the focus to the next one (C3)", async () => {
    const { id: first } = await rig.newSession({
      title: "Has two",
      steps: [
        askAll(
          { id: "a", title: "First of two", kind: "execute" },
          { id: "b", title: "Second of two", kind: "execute" },
        ),
      ],
    });
    await rig.until(first, ({ suspensions }) => suspensions.length === 2);
    const { id: second } = await rig.newSession({
      title: "Has one",
      steps: [ask({ id: "c", title: "The only one", kind: "execute" })],
    });
    await rig.until(second, ({ state }) => state === "suspended");
    const page = await rig.open("/inbox");
    const group = page.getByRole("region", { name: "Has two", exact: true });
    await group.getByRole("region", { name: "Second of two" }).waitFor();
    expect(await group.locator("[data-approval]").count()).toBe(2);
    expect(await page.getByRole("link", { name: "Has two" }).count()).toBe(1);

    const has = (title: string): Promise<boolean> =>
      cardOf(page, title).evaluate((card) => card === document.activeElement);
    const ready = (title: string): Promise<void> =>
      eventually(() =>
        cardOf(page, title).getByRole("button", { name: "Allow" }).getAttribute("aria-disabled"),
      ).toBe("false");
    await ready("First of two");
    await page.keyboard.press("1");
    await eventually(() => has("First of two")).toBe(true);
    await page.keyboard.press("1");
    await eventually(() => has("Second of two")).toBe(true);
    // The others take no key for a moment when one goes, so that no press meets the wrong card.
    await cardOf(page, "First of two").waitFor({ state: "detached" });
    await ready("Second of two");
    await page.keyboard.press("3");
    await eventually(() => has("The only one")).toBe(true);
    await rig.until(first, ({ state }) => state === "idle");
    expect(JSON.stringify((await rig.client.sessions.get(first)).messages)).toContain(
      "answers: allow, reject",
    );
    await cardOf(page, "Second of two").waitFor({ state: "detached" });
    await ready("The only one");
    await page.keyboard.press("1");
    await page.getByText("Nothing needs you").waitFor();
    await rig.until(second, ({ state }) => state === "idle");
  });
});

function badge(page: Page, count: number) {
  return page
    .getByRole("navigation")
    .getByRole("link", { name: new RegExp(`^Inbox\\s*${count} waiting$`, "u") });
}
