import { writeFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ask, say, waitFor } from "../../packages/server/src/providers/testing/script.ts";
import { eventually } from "./eventually.ts";
import { openPageRig, type OpenOptions, type PageRig } from "./page-rig.ts";
import { transcriptOf } from "./transcript-page.ts";

const SCREENS: readonly (readonly [string, OpenOptions])[] = [
  ["on a wide screen", {}],
  ["on a phone", { phone: true, dark: true }],
];

let rig: PageRig;
beforeAll(async () => {
  const capabilities = { steering: true };
  rig = await openPageRig({
    agents: { steerable: { capabilities, modes: ["ask", "plan"] } },
  });
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

const box = (page: Page): Locator => page.getByLabel("Message to the agent");
const sendNow = (page: Page): Locator => page.getByRole("button", { name: "Send now" });

/** A session whose agent works until the gate exists. */
async function atWork(provider: string): Promise<{ readonly id: string; readonly gate: string }> {
  const gate = rig.gate();
  const steps = [say("I begin."), waitFor(gate), say(" I am done.")];
  const { id } = await rig.newSession({ provider, steps });
  await rig.until(id, ({ messages }) => messages.some(({ role }) => role === "agent"));
  return { id, gate };
}

describe("a message to an agent at work", () => {
  it.each(SCREENS)("D2 reaches it at once where it can, and is marked, %s", async (_, screen) => {
    const { id, gate } = await atWork("steerable");
    expect((await rig.client.sessions.get(id)).supportsSteering).toBe(true);
    const page = await rig.open(`/sessions/${id}`, screen);
    await page.getByRole("button", { name: "Stop", exact: true }).waitFor();
    expect(await sendNow(page).count()).toBe(0);
    await box(page).fill("turn left");
    await sendNow(page).click();
    const transcript = transcriptOf(page);
    await transcript.getByText("Given to the agent during its run").waitFor();
    await transcript.getByText("heard: turn left").waitFor();
    expect(await transcript.getByText("turn left", { exact: true }).count()).toBe(1);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    writeFileSync(gate, "");
    await sendNow(page).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Send", exact: true }).waitFor();
    const { messages } = await rig.client.sessions.get(id);
    expect(messages.filter(({ content }) => content["injected"] === true)).toHaveLength(1);
  });

  it("D2 can only be queued where the agent takes none", async () => {
    const { id, gate } = await atWork("scripted");
    const page = await rig.open(`/sessions/${id}`);
    await box(page).fill("afterwards");
    await page.getByRole("button", { name: "Queue", exact: true }).waitFor();
    expect((await rig.client.sessions.get(id)).supportsSteering).toBe(false);
    expect(await sendNow(page).count()).toBe(0);
    await box(page).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Queue" }).getByText("afterwards").waitFor();
    writeFileSync(gate, "");
    await transcriptOf(page).getByText("echo: afterwards").waitFor();
    expect(await page.getByText("Given to the agent during its run").count()).toBe(0);
  });

  it("D2 can only be queued if it is for another agent, or has a mode of its own", async () => {
    const { id } = await atWork("steerable");
    const page = await rig.open(`/sessions/${id}`);
    await box(page).fill("go on");
    await sendNow(page).waitFor();
    await page.getByRole("button", { name: /^Agent of the next message: / }).click();
    await page.getByRole("radio", { name: "Scripted" }).check();
    await sendNow(page).waitFor({ state: "detached" });
    await page.getByRole("radio", { name: "steerable" }).check();
    await sendNow(page).waitFor();
    await page.getByLabel("Only for the next message").check();
    await page.getByRole("dialog").getByLabel("Mode").selectOption("plan");
    await sendNow(page).waitFor({ state: "detached" });
  });

  it("D2 that the agent refuses is queued, and waits for the end of the run", async () => {
    const { id, gate } = await atWork("steerable");
    const page = await rig.open(`/sessions/${id}`);
    await box(page).fill("REFUSE this");
    await sendNow(page).click();
    await page.getByRole("region", { name: "Queue" }).getByText("REFUSE this").waitFor();
    writeFileSync(gate, "");
    await transcriptOf(page).getByText("echo: REFUSE this").waitFor();
  });

  it("D2 reaches an agent that waits for an answer, which stays possible", async () => {
    const steps = [ask({ id: "t", title: "npm publish" })];
    const { id } = await rig.newSession({ provider: "steerable", steps });
    await rig.until(id, ({ state }) => state === "suspended");
    const page = await rig.open(`/sessions/${id}`);
    await box(page).fill("be careful");
    await sendNow(page).click();
    await transcriptOf(page).getByText("heard: be careful").waitFor();
    const allow = page.getByRole("region", { name: "npm publish" }).getByRole("button").first();
    await eventually(() => allow.getAttribute("aria-disabled")).toBe("false");
    await allow.click();
    await transcriptOf(page).getByText("answer: allow").waitFor();
  });
});
