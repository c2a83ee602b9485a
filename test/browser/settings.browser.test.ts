import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "./eventually.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";
import { transcriptOf } from "./transcript-page.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

const mode = (page: Page) => page.getByLabel("Mode", { exact: true });

async function openDemo(viewport?: { width: number; height: number }) {
  const { id } = await rig.newSession({ provider: "demo", message: "Hello" });
  const page = await rig.open(`/sessions/${id}`);
  if (viewport !== undefined) await page.setViewportSize(viewport);
  await rig.until(id, ({ state, messages }) => state === "idle" && messages.length > 1);
  await eventually(() => mode(page).inputValue()).toBe("ask");
  return { id, page };
}

describe("the mode of the agent", () => {
  it.each([
    ["a wide page", { width: 1280, height: 800 }],
    ["a phone", { width: 390, height: 844 }],
  ])("D3 can be seen and changed for the session on %s", async (_, viewport) => {
    const { id, page } = await openDemo(viewport);
    await mode(page).selectOption("auto");
    await rig.until(id, (session) => session.mode === "auto");
    // Another person, or the agent itself, changes it.
    await rig.client.sessions.update(id, { mode: "ask" });
    await eventually(() => mode(page).inputValue()).toBe("ask");
  });

  it("D3 can be chosen for the next message only", async () => {
    const { id, page } = await openDemo();
    await page.getByRole("button", { name: "Options of the agent" }).click();
    await page.getByLabel("Change them for").selectOption("message");
    await page.getByRole("dialog").getByLabel("Mode").selectOption("auto");
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("Only for this message: ").waitFor();
    await page.getByLabel("Message to the agent").fill("Once more");
    await page.keyboard.press("Enter");
    await transcriptOf(page).getByText("Once more").waitFor();
    await eventually(() => mode(page).inputValue()).toBe("ask");
    const { runs } = await rig.client.sessions.runs(id);
    expect(runs.at(-1)?.settings).toEqual({ mode: "auto" });
    expect((await rig.client.sessions.get(id)).mode).toBe("ask");
  });
});
