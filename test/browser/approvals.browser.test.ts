import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ask, say, update } from "../../packages/server/src/providers/testing/script.ts";
import { repeat } from "../../packages/server/src/domain/testing/repeat.ts";
import { eventually } from "./eventually.ts";
import { openPageRig, type OpenOptions, type PageRig } from "./page-rig.ts";
import { isInReach, transcriptOf } from "./transcript-page.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

const COMMAND = `kubectl --context production delete deployment ${"very-long-name-".repeat(20)}end --now # loss 5%`;
const THUMB_PX = 44;
const SCREENS: readonly (readonly [string, OpenOptions])[] = [
  ["on a wide screen", {}],
  ["on a phone", { phone: true }],
];
/** Several screens full, even on a wide screen. */
const LINES = repeat({ short: 40, long: 120 });
const OPTIONS = [
  { optionId: "yes", name: "Allow once", kind: "allow_once" },
  { optionId: "ever", name: "Always allow", kind: "allow_always" },
  { optionId: "no", name: "Do not", kind: "reject_once" },
];

async function askForDeletion(title = "Delete a deployment"): Promise<string> {
  const { id } = await rig.newSession({
    title: `Session of: ${title}`,
    steps: [
      say("may I?"),
      ask({ id: "tool-1", title, kind: "execute", input: { command: COMMAND }, options: OPTIONS }),
    ],
  });
  await rig.until(id, ({ state }) => state === "suspended");
  return id;
}

async function askForChange(): Promise<string> {
  const text = (when: string): string =>
    Array.from({ length: LINES }, (_, line) => `line ${line} ${when}`).join("\n");
  const change = {
    type: "diff",
    path: path.join(rig.root, "src/main.ts"),
    oldText: text("before"),
    newText: text("after"),
  };
  const { id } = await rig.newSession({
    title: "Changes much",
    steps: [
      update({
        sessionUpdate: "tool_call",
        toolCallId: "t",
        title: "Edit main.ts",
        kind: "edit",
        status: "pending",
        content: [change],
      }),
      ask({ id: "t", title: "Edit main.ts", kind: "edit", options: OPTIONS }),
    ],
  });
  await rig.until(id, ({ state }) => state === "suspended");
  return id;
}

const card = (page: Page, title = "Delete a deployment") =>
  page.getByRole("region", { name: title });
const option = (page: Page, name: string) =>
  page
    .locator("[data-approval]")
    .getByRole("group", { name: "Answers" })
    .getByRole("button", { name });

describe("a permission", () => {
  it.each(SCREENS)(
    "is shown completely, with the agent's own options, %s (C3, C9)",
    async (_, options) => {
      const id = await askForDeletion();
      const page = await rig.open(`/sessions/${id}`, options);
      await card(page).getByText("Permission needed").waitFor();
      await page.getByText("Needs you", { exact: true }).first().waitFor();
      const command = card(page).getByText(COMMAND);
      await command.scrollIntoViewIfNeeded();
      const cut = await command.evaluate(
        ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth,
      );
      expect(cut).toBeLessThanOrEqual(0);
      const names = await card(page)
        .getByRole("group", { name: "Answers" })
        .getByRole("button")
        .locator("span:not([aria-hidden])")
        .allTextContents();
      expect(names).toEqual(["Allow once", "Always allow", "Do not"]);
      expect(await focusedText(page)).not.toContain("llow");
      for (const name of names) {
        expect(await isInReach(option(page, name))).toBe(true);
        const { height = 0 } = (await option(page, name).boundingBox()) ?? {};
        expect(height).toBeGreaterThanOrEqual(options.phone === true ? THUMB_PX : 0);
      }
      await page.getByLabel("Message to the agent").fill("and afterwards");
      expect(await isInReach(page.getByLabel("Message to the agent"))).toBe(true);
      expect(await isInReach(page.getByRole("button", { name: "Queue", exact: true }))).toBe(true);
    },
  );

  it.each(repeat({ short: SCREENS.slice(1), long: SCREENS }))(
    "for a long change can be rejected at once, and allowed after it was read, %s",
    async (_, options) => {
      const id = await askForChange();
      const page = await rig.open(`/sessions/${id}`, options);
      await card(page, "Edit main.ts").getByText("src/main.ts", { exact: true }).waitFor();
      const more = page.getByRole("button", { name: /^Review \d+ more lines to allow/u });
      await more.waitFor();
      expect(await isInReach(more)).toBe(true);
      expect((await more.boundingBox())?.height).toBeGreaterThanOrEqual(
        options.phone === true ? THUMB_PX : 0,
      );
      await eventually(() => option(page, "Do not").getAttribute("aria-disabled")).toBe("false");
      expect(await option(page, "Allow once").getAttribute("aria-disabled")).toBe("true");
      await option(page, "Allow once").dispatchEvent("click");
      await page.keyboard.press("1");
      expect(await rig.client.sessions.get(id)).toMatchObject({ state: "suspended" });

      for (let press = 0; press < 60 && (await more.count()) > 0; press += 1) {
        await more.click();
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      }
      await card(page, "Edit main.ts")
        .getByText(`line ${LINES - 1} after`)
        .waitFor();
      await eventually(() => option(page, "Allow once").getAttribute("aria-disabled")).toBe(
        "false",
      );
      await page.keyboard.press("1");
      await transcriptOf(page).getByText("answer: yes").waitFor();
    },
  );

  it("ignores a click or key press in the moment in which it appears", async () => {
    const id = await askForDeletion();
    const page = await rig.open("/settings");
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    // Clicks and presses a key as soon as the card appears.
    const early = await page.evaluate(
      (address) =>
        new Promise<string>((resolve) => {
          const observer = new MutationObserver(() => {
            const buttons = [...document.querySelectorAll<HTMLElement>("[data-approval] button")];
            const allow = buttons.find(({ textContent }) => textContent.includes("Allow once"));
            if (allow === undefined) return;
            observer.disconnect();
            allow.click();
            document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "1", bubbles: true }));
            resolve(allow.getAttribute("aria-disabled") ?? "");
          });
          observer.observe(document.body, { childList: true, subtree: true });
          history.pushState(null, "", address);
          dispatchEvent(new PopStateEvent("popstate"));
        }),
      `/sessions/${id}`,
    );
    expect(early).toBe("true");
    expect(await rig.client.sessions.get(id)).toMatchObject({ state: "suspended" });
    await eventually(() => option(page, "Allow once").getAttribute("aria-disabled")).toBe("false");
    expect(await rig.client.sessions.get(id)).toMatchObject({ state: "suspended" });
    await option(page, "Allow once").click();
    await transcriptOf(page).getByText("answer: yes").waitFor();
    await card(page).waitFor({ state: "detached" });
  });

  it("is answered with a key, and rejected by Escape only from inside its card", async () => {
    const first = await askForDeletion();
    const page = await rig.open(`/sessions/${first}`);
    await eventually(() => option(page, "Allow once").getAttribute("aria-disabled")).toBe("false");
    await page.keyboard.press("Escape");
    expect(await rig.client.sessions.get(first)).toMatchObject({ state: "suspended" });
    await page.keyboard.press("1");
    await transcriptOf(page).getByText("answer: yes").waitFor();

    const second = await askForDeletion();
    await page.goto(`/sessions/${second}`);
    await eventually(() => option(page, "Do not").getAttribute("aria-disabled")).toBe("false");
    await card(page).focus();
    await page.keyboard.press("Escape");
    await transcriptOf(page).getByText("answer: no").waitFor();
  });

  it("is answered once: a second tab is told so (C3)", async () => {
    const id = await askForDeletion();
    const one = await rig.open(`/sessions/${id}`);
    const two = await rig.open("/settings", { beside: one, expected: /409|ERR_FAILED/u });
    // The second tab does not learn of the first answer before it gives its own.
    await two.route("**/events**", (route) => route.abort());
    await two.goto(`/sessions/${id}`);
    for (const page of [one, two]) {
      await eventually(() => option(page, "Do not").getAttribute("aria-disabled")).toBe("false");
    }
    await option(one, "Allow once").click();
    await transcriptOf(one).getByText("answer: yes").waitFor();
    await option(two, "Do not").click();
    await card(two).getByText("Already answered differently elsewhere.").waitFor();
    await eventually(() => option(two, "Do not").count()).toBe(0);
    const { messages } = await rig.client.sessions.get(id);
    expect(JSON.stringify(messages)).not.toContain("answer: no");
  });

  it("survives a kill of the server and is answered afterwards (C3)", async () => {
    const id = await askForDeletion();
    const page = await rig.open(`/sessions/${id}`, { expected: /ERR_|Failed to load/u });
    await card(page).waitFor();
    await page.getByRole("button", { name: "More", exact: true, disabled: false }).waitFor();
    await rig.stop("SIGKILL");
    await page.getByText(/^Reconnecting\./u).waitFor();
    await rig.start();
    await page.getByText(/^Reconnecting\./u).waitFor({ state: "detached" });
    await eventually(() => option(page, "Allow once").getAttribute("aria-disabled")).toBe("false");
    await option(page, "Allow once").click();
    await card(page).waitFor({ state: "detached" });
    await rig.until(id, ({ state }) => state === "idle");
    await page.getByText("Done", { exact: true }).first().waitFor();
  });
});

describe("the inbox", () => {
  it("lists the requests of all sessions, and removes answered ones everywhere", async () => {
    await askForDeletion("Delete a deployment");
    const other = await askForDeletion("Drop a table");
    const inbox = await rig.open("/inbox");
    await card(inbox).waitFor();
    await card(inbox, "Drop a table").waitFor();
    const list = await rig.open("/", { beside: inbox });
    await badge(list, 2).waitFor();
    await eventually(() => list.title()).toContain("2");

    const { suspensions } = await rig.client.suspensions();
    const suspension = suspensions.find(({ sessionId }) => sessionId === other);
    await rig.client.sessions.answer(other, { suspensionId: suspension?.id ?? "", answer: "no" });
    await card(inbox, "Drop a table").waitFor({ state: "detached" });
    await badge(list, 1).waitFor();
    await eventually(() => option(inbox, "Allow once").getAttribute("aria-disabled")).toBe("false");
    await option(inbox, "Allow once").click();
    await inbox.getByText("Nothing needs you").waitFor();
    await badge(list, 1).waitFor({ state: "detached" });
  });

  it("shows a whole change with its short path, and links to its session, on a phone", async () => {
    const id = await askForChange();
    const page = await rig.open("/inbox", { phone: true });
    const request = card(page, "Edit main.ts");
    await request.getByText("src/main.ts", { exact: true }).waitFor();
    await page.keyboard.press("1");
    expect(await rig.client.sessions.get(id)).toMatchObject({ state: "suspended" });
    const link = page.getByRole("link", { name: "Changes much" });
    expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(THUMB_PX);
    await request.getByText(`line ${LINES - 1} after`).scrollIntoViewIfNeeded();
    await option(page, "Do not").click();
    await page.getByText("Nothing needs you").waitFor();
    await rig.until(id, ({ state }) => state === "idle");
  });

  it("announces requests to screen readers politely, and does not announce the transcript", async () => {
    const { id } = await rig.newSession({ title: "Quiet at first" });
    const page = await rig.open(`/sessions/${id}`);
    await page.getByLabel("Message to the agent").waitFor();
    expect(await page.locator("[aria-live=polite]").count()).toBe(1);
    await rig.client.sessions.send(id, {
      text: `@ask ${JSON.stringify({ id: "t", title: "Push it", kind: "execute", options: OPTIONS })}`,
    });
    await card(page, "Push it").waitFor();
    await eventually(() => page.locator("[aria-live=polite]").textContent()).toContain(
      "Permission needed",
    );
    expect(await transcriptOf(page).getAttribute("aria-live")).toBe("off");
  });
});

function badge(page: Page, count: number) {
  return page
    .getByRole("navigation")
    .getByRole("link", { name: new RegExp(`^Inbox\\s*${count} waiting$`, "u") });
}

function focusedText(page: Page): Promise<string> {
  return page.evaluate(() =>
    document.activeElement instanceof HTMLButtonElement ? document.activeElement.textContent : "",
  );
}
