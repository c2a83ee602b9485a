import { writeFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { elicit, say, type Elicit } from "../../packages/server/src/providers/testing/script.ts";
import {
  ASKED_BY_CLAUDE,
  ASKED_BY_CODEX,
} from "../../packages/protocol/src/form/testing/real-forms.ts";
import { eventually } from "./eventually.ts";
import { openPageRig, type OpenOptions, type PageRig } from "./page-rig.ts";
import { isInReach, transcriptOf } from "./transcript-page.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

const THUMB_PX = 44;
const SCREENS: readonly (readonly [string, OpenOptions])[] = [
  ["on a wide screen", {}],
  ["on a phone", { phone: true }],
];
const URL_MODE = {
  mode: "url",
  message: "Sign in to the tracker",
  url: "https://tracker.example@login.example.com/device?code=ABCD",
  elicitationId: "e1",
};

async function asked(params: Elicit["params"], more: Omit<Elicit, "params"> = {}): Promise<string> {
  const { id } = await rig.newSession({
    title: "Asks with a form",
    steps: [say("I have a question."), elicit(params, more)],
  });
  await rig.until(id, ({ state }) => state === "suspended");
  return id;
}
const askedForm = (requestedSchema: unknown, message = "Please answer.\nThen I go on.") =>
  asked({ mode: "form", message, requestedSchema });

const card = (page: Page): Locator => page.locator("[data-approval]");
const send = (page: Page): Locator => card(page).getByRole("button", { name: "Send answer" });
const ready = (page: Page): Promise<void> =>
  eventually(() =>
    card(page).getByRole("button", { name: "Decline" }).getAttribute("aria-disabled"),
  ).toBe("false");
const replied = (page: Page, reply: object): Promise<void> =>
  transcriptOf(page)
    .getByText(`elicited: ${JSON.stringify(reply)}`)
    .waitFor();

describe("a form", () => {
  it.each(SCREENS)(
    "of Claude is answered with large choices, and the transcript keeps it, %s (D1)",
    async (_, options) => {
      const id = await askedForm(ASKED_BY_CLAUDE);
      const page = await rig.open(`/sessions/${id}`, options);
      await card(page).getByText("Then I go on.").waitFor();
      const one = card(page).getByRole("radiogroup", { name: "Database" });
      const several = card(page).getByRole("group", { name: "Checks" });
      const choice = one.getByRole("radio", { name: "SQLite" });
      await choice.waitFor();
      for (const label of await card(page).locator("label:has(input)").all())
        expect((await label.boundingBox())?.height).toBeGreaterThanOrEqual(THUMB_PX);
      await one.getByText("PostgreSQL").click();
      await choice.check();
      await several.getByText("Lint").click();
      await several.getByText("Types", { exact: true }).click();
      await card(page).getByLabel("Other").first().fill("in memory");
      expect(await isInReach(send(page))).toBe(true);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
      await ready(page);
      await send(page).click();
      await replied(page, {
        action: "accept",
        content: {
          question_0: "SQLite",
          question_0_custom: "in memory",
          question_1: ["Types", "Lint"],
        },
      });
      await page.reload();
      const kept = transcriptOf(page).getByText("Database: SQLite");
      await kept.waitFor();
      expect(await kept.textContent()).toContain("Checks: Types, Lint");
    },
  );

  it("names wrong fields, moves the focus to the first, and works with the keyboard alone (D1)", async () => {
    const id = await askedForm(ASKED_BY_CODEX);
    const page = await rig.open(`/sessions/${id}`);
    await ready(page);
    await send(page).focus();
    await page.keyboard.press("Enter");
    const first = card(page).getByRole("radio", { name: "Staging" });
    await eventually(() => first.getAttribute("aria-invalid")).toBe("true");
    await eventually(() => first.evaluate((radio) => radio === document.activeElement)).toBe(true);
    await card(page).getByText("Choose one.").waitFor();
    const key = card(page).getByLabel(/^Which key/u);
    expect(await key.getAttribute("aria-invalid")).toBe("true");
    const describedBy = (await key.getAttribute("aria-describedby")) ?? "";
    expect(await page.locator(`[id="${describedBy}"]`).textContent()).toBe(
      "This field is required.",
    );
    expect(await key.getAttribute("type")).toBe("password");

    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
    await page.keyboard.type("soon");
    await page.keyboard.press("Tab");
    await page.keyboard.type("k-123");
    await page.keyboard.press("Control+Enter");
    await replied(page, {
      action: "accept",
      content: { place: "Production", place_note: "soon", key: "k-123" },
    });
    await transcriptOf(page).getByText("Which key should it use?: (not shown)").waitFor();
  });

  it("shows the errors of the server at their fields (D1)", async () => {
    const id = await askedForm({
      type: "object",
      properties: {
        name: { type: "string", title: "Name" },
        code: { type: "string", title: "Code", pattern: "^[a-z]{3}$" },
      },
    });
    const page = await rig.open(`/sessions/${id}`, { expected: /422/u });
    const code = card(page).getByLabel("Code");
    await code.fill("ABC");
    await ready(page);
    await send(page).click();
    await card(page).getByText("Must match the pattern ^[a-z]{3}$").waitFor();
    expect(await code.getAttribute("aria-invalid")).toBe("true");
    await code.fill("abc");
    expect(await code.getAttribute("aria-invalid")).toBe(null);
    await send(page).click();
    await replied(page, { action: "accept", content: { code: "abc" } });
  });

  it("survives a reload half filled, without its secrets, and a kill of the server (D1)", async () => {
    const id = await askedForm(ASKED_BY_CODEX);
    const page = await rig.open(`/sessions/${id}`, { expected: /ERR_|Failed to load/u });
    await card(page).getByRole("radio", { name: "Production" }).check();
    await card(page).getByLabel("Additional answer or note").fill("after lunch");
    await card(page)
      .getByLabel(/^Which key/u)
      .fill("k-123");
    const stored = await page.evaluate(() => JSON.stringify(Object.entries(localStorage)));
    expect(stored).toContain("after lunch");
    expect(stored).not.toContain("k-123");
    await rig.stop("SIGKILL");
    await rig.start();
    await page.reload();
    await eventually(() => card(page).getByRole("radio", { name: "Production" }).isChecked()).toBe(
      true,
    );
    expect(await card(page).getByLabel("Additional answer or note").inputValue()).toBe(
      "after lunch",
    );
    expect(
      await card(page)
        .getByLabel(/^Which key/u)
        .inputValue(),
    ).toBe("");
    await card(page)
      .getByLabel(/^Which key/u)
      .fill("k-456");
    await ready(page);
    await send(page).click();
    await card(page).waitFor({ state: "detached" });
    await rig.until(id, ({ state }) => state === "idle");
    await transcriptOf(page).getByText("Additional answer or note: after lunch").first().waitFor();
    expect(await page.evaluate(() => JSON.stringify(Object.entries(localStorage)))).not.toContain(
      "after lunch",
    );
  });

  it.each([
    ["Decline", "decline", "Declined"],
    ["Cancel", "cancel", "Cancelled"],
  ])("is answered with %s in the inbox (D1)", async (name, action, words) => {
    const id = await askedForm(ASKED_BY_CODEX);
    const page = await rig.open("/inbox");
    await ready(page);
    await card(page).getByRole("button", { name }).click();
    await page.getByText("Nothing needs you").waitFor();
    await rig.until(id, ({ state }) => state === "idle");
    await page.goto(`/sessions/${id}`);
    await replied(page, { action });
    await transcriptOf(page).getByText(words, { exact: false }).first().waitFor();
  });
});

describe("a page to open", () => {
  it.each(SCREENS)(
    "is shown with its host and opened only by a click, %s (D1)",
    async (_, options) => {
      const id = await asked(URL_MODE);
      const page = await rig.open(`/sessions/${id}`, options);
      await card(page).getByText("login.example.com", { exact: true }).waitFor();
      await card(page).getByText(URL_MODE.url, { exact: true }).waitFor();
      const link = card(page).getByRole("link", { name: "Open the page" });
      expect(await link.getAttribute("rel")).toBe("noreferrer");
      expect(await link.getAttribute("href")).toBe(URL_MODE.url);
      await page
        .context()
        .route(/login\.example\.com/u, (route) =>
          route.fulfill({ body: "signed in", contentType: "text/plain" }),
        );
      await ready(page);
      expect(page.context().pages()).toHaveLength(1);
      const [opened] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
      await opened.getByText("signed in").waitFor();
      expect(await opened.evaluate(() => [document.referrer, window.opener])).toEqual(["", null]);
      await opened.close();
      await card(page).getByRole("button", { name: "I opened it" }).click();
      await replied(page, { action: "accept" });
    },
  );

  it("closes when the agent says that it is complete (D1)", async () => {
    const done = rig.gate();
    const id = await asked(URL_MODE, { completeWhen: done });
    const page = await rig.open(`/sessions/${id}`);
    await card(page).waitFor();
    writeFileSync(done, "");
    await card(page).waitFor({ state: "detached" });
  });
});
