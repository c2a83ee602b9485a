import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ask, askAll } from "../../packages/server/src/providers/testing/script.ts";
import { eventually } from "./eventually.ts";
import { faultsOf } from "./page-faults.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";
import {
  askForChange,
  askForCommand,
  cardOf,
  optionOf,
  OPTIONS,
  untilReady,
} from "./requests-page.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

const THUMB_PX = 44;
const COMMAND = "Session of: Delete a deployment";

describe("a row that needs you", () => {
  it("shows the command or the change, and its button opens the request, without faults (A16, C3)", async () => {
    await askForCommand(rig);
    const id = await askForChange(rig, { lines: 2 });
    const page = await rig.open("/");
    const row = (name: string) => page.getByRole("listitem").filter({ hasText: name });
    await row(COMMAND).getByText("Run kubectl delete deployment shop").waitFor();
    await row("Changes much").getByText("Edit main.ts +2 −2").waitFor();
    await page.getByRole("link", { name: "Changes much" }).hover();
    await page.getByRole("button", { name: "Answer Changes much" }).click();
    const dialog = page.getByRole("dialog", { name: "Changes much" });
    await dialog.getByText("line 1 after", { exact: true }).waitFor();
    await untilReady(page);
    expect(await faultsOf(page, "the request over the list")).toEqual([]);
    await optionOf(page, "Allow once").click();
    await dialog.waitFor({ state: "detached" });
    await rig.until(id, ({ state }) => state === "idle");
    await eventually(() => focused(page)).toBe("Changes much");
  });

  it("is answered with keys only: A opens the request, 1 allows, Escape only closes (A16, C3)", async () => {
    const id = await askForCommand(rig);
    await rig.newSession({ title: "Quiet" });
    const page = await rig.open("/");
    await page.getByRole("link", { name: COMMAND }).waitFor();
    await page.getByRole("link", { name: "Quiet" }).focus();
    await page.keyboard.press("a");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.keyboard.press("k");
    await eventually(() => focused(page)).toBe(COMMAND);
    await page.keyboard.press("a");
    const dialog = page.getByRole("dialog", { name: COMMAND });
    await dialog.waitFor();
    await untilReady(page);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await eventually(() => focused(page)).toBe(COMMAND);
    expect(await rig.client.sessions.get(id)).toMatchObject({ state: "suspended" });
    await page.keyboard.press("a");
    await untilReady(page);
    await page.keyboard.press("1");
    await dialog.waitFor({ state: "detached" });
    const { messages } = await rig.until(id, ({ state }) => state === "idle");
    expect(JSON.stringify(messages)).toContain("answer: yes");
    await eventually(() => focused(page)).toBe(COMMAND);
  });

  it("gives the focus to its neighbour if the filter removes it (A16)", async () => {
    await askForCommand(rig);
    await askForCommand(rig, { title: "Drop a table" });
    const page = await rig.open("/?state=suspended");
    const last = page.getByRole("link", { name: "Session of: Drop a table" });
    await last.focus();
    await page.keyboard.press("a");
    await untilReady(page);
    await page.keyboard.press("3");
    await last.waitFor({ state: "detached" });
    await eventually(() => focused(page)).toBe(COMMAND);
  });

  it("shows several requests one after another, each answered with a key (A16, C3)", async () => {
    const request = (id: string, title: string) => ({
      id,
      title,
      kind: "execute",
      options: OPTIONS,
    });
    const { id } = await rig.newSession({
      title: "Asks twice",
      steps: [askAll(request("t1", "First"), request("t2", "Second"))],
    });
    await rig.until(id, ({ suspensions }) => suspensions.length === 2);
    const page = await rig.open("/");
    await page.getByRole("link", { name: "Asks twice" }).focus();
    await page.keyboard.press("a");
    const dialog = page.getByRole("dialog", { name: "Asks twice" });
    await dialog.getByText("1 of 2").waitFor();
    await cardOf(page, "First").waitFor();
    await untilReady(page);
    await page.keyboard.press("1");
    await cardOf(page, "Second").waitFor();
    await untilReady(page);
    await page.keyboard.press("3");
    await dialog.waitFor({ state: "detached" });
    const { messages } = await rig.until(id, ({ state }) => state === "idle");
    expect(JSON.stringify(messages)).toContain("answers: yes, no");
  });

  it("is answered on a sheet that fills the phone, with targets for a thumb (A16, C9)", async () => {
    const id = await askForChange(rig, { lines: 2 });
    const page = await rig.open("/", { phone: true });
    const button = page.getByRole("button", { name: "Answer Changes much" });
    await button.waitFor();
    const { width = 0, height = 0 } = (await button.boundingBox()) ?? {};
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(THUMB_PX);
    await button.click();
    const dialog = page.getByRole("dialog", { name: "Changes much" });
    await dialog.getByText("line 1 after", { exact: true }).waitFor();
    expect((await dialog.boundingBox())?.height).toBe(844);
    await untilReady(page);
    expect(await faultsOf(page, "the request on a phone")).toEqual([]);
    const back = dialog.getByRole("button", { name: "Sessions" });
    expect((await back.boundingBox())?.height).toBeGreaterThanOrEqual(THUMB_PX);
    await back.click();
    await dialog.waitFor({ state: "detached" });
    await button.click();
    await untilReady(page);
    await optionOf(page, "Allow once").click();
    await dialog.waitFor({ state: "detached" });
    await rig.until(id, ({ state }) => state === "idle");
    await button.waitFor({ state: "detached" });
  });
});

it("G and A lead to analytics, and A alone is a command of the palette (A16)", async () => {
  const { id } = await rig.newSession({ title: "Asks", steps: [ask({ id: "t", title: "Push" })] });
  await rig.until(id, ({ state }) => state === "suspended");
  const page = await rig.open("/");
  await page.getByRole("link", { name: "Asks" }).focus();
  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await page.getByRole("heading", { name: "Analytics" }).waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  await page.goBack();
  await page.getByRole("link", { name: "Asks" }).waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("option", { name: "Answer a request" }).click();
  await page.getByRole("dialog", { name: "Asks" }).waitFor();
});

function focused(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.textContent ?? "");
}
