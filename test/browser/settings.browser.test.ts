import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { say, script, tell } from "../../packages/server/src/providers/testing/script.ts";
import { eventually } from "./eventually.ts";
import { openPageRig, type OpenOptions, type PageRig } from "./page-rig.ts";
import { transcriptOf } from "./transcript-page.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig({
    agents: {
      choosy: {
        title: "Choosy",
        modes: ["ask", "plan", "auto"],
        models: ["small", "large"],
        configs: [
          { id: "effort", value: "medium", choices: ["low", "medium", "high"] },
          { id: "fast", value: false },
        ],
      },
    },
  });
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

/** The button that shows the agent, its model and its mode. */
const pill = (page: Page) => page.getByRole("button", { name: /^Agent of the next message: / });
const more = (page: Page) => page.getByRole("button", { name: "Options of the message" });
const mode = (page: Page) => page.getByRole("dialog").getByLabel("Mode", { exact: true });

async function openDemo(screen: OpenOptions = {}) {
  const { id } = await rig.newSession({ provider: "demo", message: "Hello" });
  await rig.until(id, ({ state, messages }) => state === "idle" && messages.length > 1);
  return { id, page: await rig.open(`/sessions/${id}`, screen) };
}

describe("the mode of the agent", () => {
  it.each([
    ["a wide page", {}, pill],
    ["a phone", { phone: true }, more],
  ])("D3 can be seen and changed for the session on %s", async (_, screen, button) => {
    const { id, page } = await openDemo(screen);
    await button(page).click();
    await eventually(() => mode(page).inputValue()).toBe("ask");
    await mode(page).selectOption("auto");
    await rig.until(id, (session) => session.mode === "auto");
    // Another person, or the agent itself, changes it.
    await rig.client.sessions.update(id, { mode: "ask" });
    await eventually(() => mode(page).inputValue()).toBe("ask");
  });

  it("D3 can be chosen for the next message only", async () => {
    const { id, page } = await openDemo();
    await pill(page).click();
    await page.getByLabel("Only for the next message").check();
    await mode(page).selectOption("auto");
    await page.keyboard.press("Escape");
    await page.getByText("Only for this message: ").waitFor();
    await page.getByLabel("Message to the agent").fill("Once more");
    await page.keyboard.press("Enter");
    await transcriptOf(page).getByText("Once more").waitFor();
    await eventually(() => pill(page).textContent()).toMatch(/Ask/u);
    const { runs } = await rig.client.sessions.runs(id);
    expect(runs.at(-1)?.settings).toEqual({ mode: "auto" });
    expect((await rig.client.sessions.get(id)).mode).toBe("ask");
  });

  it("D3 is changed by Shift Tab in the message box, as often as it is pressed", async () => {
    const { id } = await rig.newSession({ provider: "choosy", steps: [say("Ready.")] });
    const page = await rig.open(`/sessions/${id}`);
    await transcriptOf(page).getByText("Ready.", { exact: true }).waitFor();
    await eventually(() => pill(page).textContent()).toMatch(/ask/iu);
    const box = page.getByLabel("Message to the agent");
    await box.fill("half a thought");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Shift+Tab");
    await eventually(() => pill(page).textContent()).toMatch(/auto/iu);
    await rig.until(id, (session) => session.mode === "auto");
    await page.keyboard.press("Shift+Tab");
    await rig.until(id, (session) => session.mode === "ask");
    expect(await box.inputValue()).toBe("half a thought");
    expect(await box.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("Next mode of the agent").waitFor();
  });

  it("D3 that was chosen just before a message holds for it", async () => {
    const { id } = await rig.newSession({ provider: "choosy", steps: [say("Ready.")] });
    const page = await rig.open(`/sessions/${id}`);
    await transcriptOf(page).getByText("Ready.", { exact: true }).waitFor();
    await eventually(() => pill(page).textContent()).toMatch(/ask/iu);
    await page.getByLabel("Message to the agent").fill(script(tell("mode")));
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await transcriptOf(page).getByText("mode: plan", { exact: true }).waitFor();
    await rig.until(id, (session) => session.mode === "plan");
  });
});

describe("the dialog of a new session", () => {
  it.each([
    ["a wide page", {}],
    ["a phone", { phone: true }],
  ])("D3 offers everything that the last agent offered, on %s", async (_, screen) => {
    const first = await rig.newSession({ provider: "choosy", steps: [say("Seen.")] });
    await rig.until(first.id, ({ state, messages }) => state === "idle" && messages.length > 1);
    const page = await rig.open("/", screen);
    await page.getByRole("list", { name: "Sessions" }).waitFor();
    await page.keyboard.press("c");
    const dialog = page.getByRole("dialog", { name: "New session" });
    await dialog.getByLabel("Agent").selectOption("choosy");
    await dialog.getByLabel("Mode", { exact: true }).selectOption("plan");
    const effort = dialog.getByLabel("effort");
    expect(await effort.locator("option").allInnerTexts()).toEqual([
      "Default (MEDIUM)",
      "LOW",
      "MEDIUM",
      "HIGH",
    ]);
    await effort.selectOption("high");
    await dialog.getByLabel("fast").selectOption("On");
    const asks = script(tell("mode"), tell("option", "effort"), tell("option", "fast"));
    await dialog.getByLabel("First message").fill(asks);
    await page.keyboard.press("Control+Enter");
    await transcriptOf(page).getByText("mode: planeffort: highfast: true").waitFor();
    const { sessions } = await rig.client.sessions.list({ limit: 1 });
    expect(sessions[0]).toMatchObject({ mode: "plan", options: { effort: "high", fast: true } });
  });
});
