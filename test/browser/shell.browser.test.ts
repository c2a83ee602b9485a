import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ask, say } from "../../packages/server/src/providers/testing/script.ts";
import { eventually } from "./eventually.ts";
import { faultsOf } from "./page-faults.ts";
import { swipe } from "./swipe.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

describe("the list beside an open session", () => {
  it("shows all sessions, marks the open one, and leads to another with the arrow keys", async () => {
    for (const title of ["Third", "Second", "First"]) await rig.newSession({ title });
    const page = await rig.open("/");
    await page.getByRole("link", { name: "Second" }).click();
    await page.getByRole("heading", { name: "Second" }).waitFor();
    const list = beside(page);
    await eventually(() => list.getByRole("link").allTextContents()).toEqual([
      "First",
      "Second",
      "Third",
    ]);
    await list.locator('a[aria-current="page"]').getByText("Second").waitFor();
    await list.getByRole("link", { name: "Second" }).focus();
    await page.keyboard.press("ArrowDown");
    await eventually(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Third");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Third" }).waitFor();
    expect(await faultsOf(page, "session with the list")).toEqual([]);
  });

  it("can be hidden and made wider, which this browser remembers", async () => {
    const { id } = await rig.newSession({ title: "There" });
    const page = await rig.open(`/sessions/${id}`);
    const list = beside(page);
    const handle = page.getByRole("separator", { name: "Width of the list" });
    // An opened session gives the focus to its message box.
    await page
      .getByRole("textbox", { name: "Message to the agent" })
      .and(page.locator(":focus"))
      .waitFor();
    await handle.focus();
    await page.keyboard.press("End");
    await eventually(() => handle.getAttribute("aria-valuenow")).toBe("480");
    await page.getByRole("button", { name: "Hide the list" }).click();
    await list.waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("heading", { name: "There" }).waitFor();
    expect(await list.count()).toBe(0);
    await page.getByRole("button", { name: "Show the list" }).click();
    await list.waitFor();
    expect(await handle.getAttribute("aria-valuenow")).toBe("480");
  });

  it("keeps the filter of the list from which the session was opened", async () => {
    const waits = await rig.newSession({ title: "Asks", steps: [PUSH] });
    await rig.until(waits.id, ({ state }) => state === "suspended");
    await rig.newSession({ title: "Quiet" });
    const page = await rig.open("/?state=suspended");
    await page.getByRole("link", { name: "Asks" }).click();
    await page.getByRole("heading", { name: "Asks" }).waitFor();
    await eventually(() => beside(page).getByRole("link").allTextContents()).toEqual(["Asks"]);
    await beside(page).getByRole("button", { name: "All 2" }).click();
    await eventually(() => beside(page).getByRole("link").count()).toBe(2);
  });
});

const PUSH = ask({ id: "t", title: "git push", kind: "execute" });

describe("Alt+J and Alt+K", () => {
  it("lead from one session that needs you to the next, also while typing (C3)", async () => {
    for (const title of ["Asks first", "Asks second"]) {
      const { id } = await rig.newSession({ title, steps: [say("may I?"), PUSH] });
      await rig.until(id, ({ state }) => state === "suspended");
    }
    await rig.newSession({ title: "Quiet" });
    const page = await rig.open("/");
    await page.getByRole("button", { name: "Needs you 2" }).waitFor();
    await page.keyboard.press("Alt+j");
    await page.getByRole("heading", { name: "Asks first" }).waitFor();
    await page.getByRole("textbox", { name: "Message to the agent" }).focus();
    await page.keyboard.press("Alt+j");
    await page.getByRole("heading", { name: "Asks second" }).waitFor();
    await page.keyboard.press("Alt+k");
    await page.getByRole("heading", { name: "Asks first" }).waitFor();
  });

  it("say so when no session needs you", async () => {
    await rig.newSession({ title: "Quiet" });
    const page = await rig.open("/");
    await page.getByRole("link", { name: "Quiet" }).waitFor();
    await page.keyboard.press("Alt+j");
    await page.getByText("No other session needs you").waitFor();
  });
});

describe("the palette", () => {
  it("does what the menu of the open session does, and shows the keys (A16)", async () => {
    const { id } = await rig.newSession({ title: "There" });
    const page = await rig.open(`/sessions/${id}`);
    await page.getByRole("button", { name: "More", exact: true, disabled: false }).waitFor();
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Commands" });
    await palette.getByRole("option", { name: /^Find in this session/u }).waitFor();
    expect(
      await palette.getByRole("option", { name: /^Find in this session/u }).textContent(),
    ).toContain("Ctrl F");
    await eventually(() => palette.locator("input:focus").count()).toBe(1);
    await page.keyboard.type("archive");
    await palette.getByRole("option", { name: "Archive", selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await eventually(() => new URL(page.url()).pathname).toBe("/");
  });

  it("acts on the selection (A16)", async () => {
    for (const title of ["Second", "First"]) await rig.newSession({ title });
    const page = await rig.open("/");
    await page.getByRole("checkbox", { name: "Select First" }).check();
    await page.getByRole("toolbar", { name: "Selected sessions" }).waitFor();
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Commands" });
    await palette.getByRole("option", { name: /^Archive the selection/u }).click();
    await page.getByRole("link", { name: "First" }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Second" }).waitFor();
  });
});

describe("on a phone", () => {
  it("a swipe archives a session, and can be undone; a scroll does not (A16)", async () => {
    await rig.newSession({ title: "Old work" });
    const page = await rig.open("/", { phone: true });
    const row = page.getByRole("link", { name: "Old work" });
    const box = await row.boundingBox();
    const y = (box?.y ?? 0) + 5;
    await swipe(page, { x: 200, y }, { x: 180, y: y + 120 });
    await row.waitFor();
    await swipe(page, { x: 300, y }, { x: 100, y: y + 10 });
    await row.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await row.waitFor();
    await swipe(page, { x: 300, y }, { x: 100, y: y + 10 });
    await eventually(async () => (await rig.client.sessions.list({})).counts.archived).toBe(1);
  });

  it("tabs lead to sessions, inbox and the rest, and a session has the whole screen", async () => {
    const { id } = await rig.newSession({ title: "There" });
    const page = await rig.open("/", { phone: true });
    const tabs = page.getByRole("navigation", { name: "Pages" });
    await tabs.getByRole("button", { name: "More" }).click();
    const more = page.getByRole("dialog", { name: "More" });
    await more.getByRole("button", { name: "Settings" }).waitFor();
    expect(await faultsOf(page, "more")).toEqual([]);
    await more.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await tabs.getByRole("link", { name: "Sessions" }).click();
    await page.getByRole("link", { name: "There" }).click();
    await page.waitForURL(new RegExp(id, "u"));
    await page.getByRole("heading", { name: "There" }).waitFor();
    await eventually(() => tabs.count()).toBe(0);
    await page.getByRole("link", { name: "All sessions" }).click();
    await tabs.waitFor();
  });
});

function beside(page: Page) {
  return page.getByRole("navigation", { name: "Sessions" });
}
