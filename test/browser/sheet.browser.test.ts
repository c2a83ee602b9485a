import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { askAll, say, waitFor, ask } from "../../packages/server/src/providers/testing/script.ts";
import { writeFileSync } from "node:fs";
import { faultsOf } from "./page-faults.ts";
import { swipe } from "./swipe.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";
import { askForChange, askForCommand, cardOf, optionOf, untilReady } from "./requests-page.ts";
import { isInReach, transcriptOf } from "./transcript-page.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

const PHONE = { phone: true };
const THUMB_PX = 44;
const LINES = 120;

describe("a permission on a phone", () => {
  it("is a sheet of which the diff is at least 60 %; its buttons stay in reach (C9, C3)", async () => {
    const id = await askForChange(rig, { lines: LINES });
    const page = await rig.open(`/sessions/${id}`, PHONE);
    const card = cardOf(page, "Edit main.ts");
    const request = card.getByRole("group", { name: "Request" });
    await card.getByText("line 0 after", { exact: true }).waitFor();
    const { height = 0 } = (await request.boundingBox()) ?? {};
    expect(height / 844).toBeGreaterThanOrEqual(0.6);
    for (const name of ["Allow once", "Do not"]) {
      expect(await isInReach(optionOf(page, name))).toBe(true);
      const box = await optionOf(page, name).boundingBox();
      expect(box?.height).toBeGreaterThanOrEqual(THUMB_PX);
    }
    expect(await page.getByRole("textbox", { name: "Message to the agent" }).count()).toBe(0);
    expect(await isInReach(page.getByLabel("Message to the agent"))).toBe(false);
    expect(await focusedText(page)).not.toContain("llow");
  });

  it("leads to the transcript and back with one press or swipe (C9)", async () => {
    const id = await askForChange(rig, { lines: 3 });
    const page = await rig.open(`/sessions/${id}`, PHONE);
    const sheet = page.getByRole("dialog", { name: "The agent needs you" });
    await sheet.waitFor();
    await page.getByRole("button", { name: "Transcript" }).click();
    await sheet.waitFor({ state: "detached" });
    await transcriptOf(page).getByText("I change it.", { exact: true }).waitFor();
    expect(await isInReach(page.getByLabel("Message to the agent"))).toBe(true);
    await transcriptOf(page).getByRole("button", { name: "Review" }).click();
    await sheet.waitFor();
    await swipe(page, { x: 200, y: 20 }, { x: 200, y: 300 });
    await sheet.waitFor({ state: "detached" });
    const { y = 0 } = (await page.getByText("1 request needs you").boundingBox()) ?? {};
    await swipe(page, { x: 200, y: y + 5 }, { x: 200, y: y - 300 });
    await sheet.waitFor();
    await untilReady(page);
    await optionOf(page, "Allow once").click();
    await sheet.waitFor({ state: "detached" });
    await transcriptOf(page).getByText("answer: yes").waitFor();
  });

  it("is rejected at once, and allowed after it was read (C3)", async () => {
    const id = await askForChange(rig, { lines: LINES });
    const page = await rig.open(`/sessions/${id}`, PHONE);
    const more = page.getByRole("button", { name: /^Review \d+ more lines to allow/u });
    await more.waitFor();
    expect((await more.boundingBox())?.height).toBeGreaterThanOrEqual(THUMB_PX);
    await untilReady(page, "Do not");
    expect(await optionOf(page, "Allow once").getAttribute("aria-disabled")).toBe("true");
    await optionOf(page, "Allow once").dispatchEvent("click");
    expect(await rig.client.sessions.get(id)).toMatchObject({ state: "suspended" });
    for (let press = 0; press < 60 && (await more.count()) > 0; press += 1) {
      await more.click();
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    }
    await untilReady(page);
    await optionOf(page, "Allow once").click();
    await transcriptOf(page).getByText("answer: yes").waitFor();
  });

  it("has the other answers behind a button, with their scope (C3)", async () => {
    const id = await askForCommand(rig, { title: "`npm test`", command: "npm test" });
    const page = await rig.open(`/sessions/${id}`, PHONE);
    await cardOf(page, "Run npm test").waitFor();
    expect(await optionOf(page, "Always allow").count()).toBe(0);
    await page.getByRole("button", { name: "More answers" }).click();
    await cardOf(page, "Run npm test")
      .getByText("Always allow this command in this session")
      .waitFor();
    await page.getByRole("button", { name: "Reject and stop" }).waitFor();
    await untilReady(page, "Always allow");
    await optionOf(page, "Always allow").click();
    await transcriptOf(page).getByText("answer: ever").waitFor();
  });

  it("gives way to the next one when it is answered (C3)", async () => {
    const { id } = await rig.newSession({
      steps: [
        askAll(
          { id: "a", title: "First of two", kind: "execute" },
          { id: "b", title: "Second of two", kind: "execute" },
        ),
      ],
    });
    await rig.until(id, ({ suspensions }) => suspensions.length === 2);
    const page = await rig.open(`/sessions/${id}`, PHONE);
    await cardOf(page, "First of two").waitFor();
    await page.getByText("1 of 2").waitFor();
    await page.getByRole("button", { name: "Next request" }).click();
    await cardOf(page, "Second of two").waitFor();
    await untilReady(page, "Allow");
    await optionOf(page, "Allow").click();
    await cardOf(page, "First of two").waitFor();
    await untilReady(page, "Reject");
    await optionOf(page, "Reject").click();
    await transcriptOf(page).getByText("answers: reject, allow").waitFor();
  });

  it("does not cover a message that is being written (C9)", async () => {
    const gate = rig.gate();
    const { id } = await rig.newSession({
      steps: [say("soon"), waitFor(gate), ask({ id: "t", title: "Push it", kind: "execute" })],
    });
    const page = await rig.open(`/sessions/${id}`, PHONE);
    await page.getByLabel("Message to the agent").fill("I am wri");
    writeFileSync(gate, "");
    await page.getByText("1 request needs you").waitFor();
    await page.keyboard.type("ting");
    expect(await page.getByLabel("Message to the agent").inputValue()).toBe("I am writing");
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  it.each([
    ["light", {}],
    ["dark", { dark: true }],
  ])(
    "passes the accessibility rules, as a sheet and in the transcript: %s (C9)",
    async (_, look) => {
      const id = await askForChange(rig, { lines: 3 });
      const page = await rig.open(`/sessions/${id}`, { ...PHONE, ...look });
      await untilReady(page);
      await page.getByRole("button", { name: "More answers" }).click();
      const faults = [...(await faultsOf(page, "sheet"))];
      await page.getByRole("button", { name: "Transcript" }).click();
      await transcriptOf(page).getByRole("button", { name: "Review" }).waitFor();
      faults.push(...(await faultsOf(page, "transcript")));
      expect(faults.join("\n")).toBe("");
    },
  );
});

function focusedText(page: Page): Promise<string> {
  return page.evaluate(() =>
    document.activeElement instanceof HTMLButtonElement ? document.activeElement.textContent : "",
  );
}
