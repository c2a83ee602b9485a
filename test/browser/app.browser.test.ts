import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ask, say, silent } from "../../packages/server/src/providers/testing/script.ts";
import { eventually } from "./eventually.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";
import { transcriptOf } from "./transcript-page.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

describe("the palette", () => {
  it("finds a session by its words, goes to pages and changes the theme, with keys alone", async () => {
    await rig.newSession({ title: "The zebra crossing" });
    await rig.newSession({ title: "Another street" });
    const page = await rig.open("/");
    await page.getByRole("link", { name: "Another street" }).waitFor();
    const palette = page.getByRole("dialog", { name: "Commands" });
    const run = async (words: string, option: string): Promise<void> => {
      await page.keyboard.press("Control+k");
      await eventually(() => palette.locator("input:focus").count()).toBe(1);
      await page.keyboard.type(words);
      await palette
        .getByRole("option", { name: option, selected: true })
        .and(palette.getByRole("option").first())
        .waitFor();
      await page.keyboard.press("Enter");
      await palette.waitFor({ state: "detached" });
    };
    await run("zebra", "The zebra crossing");
    await page.getByRole("heading", { name: "The zebra crossing" }).waitFor();
    await run("analytics", "Analytics");
    await page.getByRole("heading", { name: "Analytics" }).waitFor();
    await run("dark", "Theme: dark");
    await eventually(() => page.locator("html").getAttribute("data-theme")).toBe("dark");

    await page.keyboard.press("Control+k");
    await eventually(() => palette.locator("input:focus").count()).toBe(1);
    await page.keyboard.type("no such thing");
    await palette.getByText("Nothing found.").waitFor();
    await page.keyboard.press("Escape");
    await palette.waitFor({ state: "detached" });
    await page.reload();
    await eventually(() => page.locator("html").getAttribute("data-theme")).toBe("dark");
  });
});

describe("the list of shortcuts", () => {
  it("names what the keys do, wherever they do it", async () => {
    const page = await rig.open("/");
    await page.getByText("No sessions yet").waitFor();
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    const keysOf = (meaning: string) =>
      dialog.locator("dl > div", { hasText: meaning }).locator("kbd").allTextContents();
    await dialog.getByText("Choose that answer").waitFor();
    expect(await keysOf("Choose that answer")).toEqual(["1–9"]);
    expect(await keysOf("Reject, inside the card")).toEqual(["Esc"]);
    expect(await keysOf("Next card in the inbox")).toEqual(["J"]);
    expect(await keysOf("Interrupt and send")).toEqual(["Ctrl", "Enter"]);
    expect(await keysOf("Find in the session")).toEqual(["Ctrl", "F", "/"]);
  });
});

describe("notifications", () => {
  it("are chosen in the settings, and tell of what waits while the page is out of sight", async () => {
    const page = await rig.open("/settings", {
      allow: ["notifications"],
      before: withNotifications,
    });
    await page.getByText("Requests appear only on this page.").waitFor();
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.getByText("You are notified of requests").waitFor();
    await page.evaluate(hidePage);
    const { id } = await rig.newSession({
      title: "Asks",
      steps: [ask({ id: "t", title: "Push it", kind: "execute" })],
    });
    const told = () => page.evaluate<unknown>("globalThis.told");
    await eventually(told).toEqual([
      { title: "Permission needed", body: "Push it", href: `/sessions/${id}` },
    ]);
    await page.getByRole("button", { name: "Turn off" }).click();
    const other = await rig.newSession({
      steps: [ask({ id: "t", title: "Push it again", kind: "execute" })],
    });
    await rig.until(other.id, ({ state }) => state === "suspended");
    await page
      .getByRole("navigation")
      .getByRole("link", { name: /^Inbox\s*2 waiting$/u })
      .waitFor();
    expect(await told()).toHaveLength(1);
  });
});

describe("a browser whose language is no valid tag", () => {
  it("draws charts all the same", async () => {
    const { id } = await rig.newSession({ steps: [say("done")] });
    await rig.until(id, ({ messages }) => messages.length === 2);
    const page = await rig.open("/analytics", {
      before: () => {
        Object.defineProperty(Navigator.prototype, "language", { get: () => "en-US@posix" });
      },
    });
    await page.locator(".uplot canvas").first().waitFor();
  });
});

describe("keys alone", () => {
  it("lead from the list to a session, to the answer it waits for, and to the next message", async () => {
    const { id } = await rig.newSession({
      title: "Needs an answer",
      steps: [say("may I?"), ask({ id: "t", title: "Push it", kind: "execute" })],
    });
    await rig.until(id, ({ state }) => state === "suspended");
    const page = await rig.open("/");
    await page.getByRole("link", { name: "Needs an answer" }).waitFor();
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Skip to content");
    await tabTo(page, "Needs an answer");
    await page.keyboard.press("Enter");
    const allow = page.getByRole("button", { name: "Allow", exact: true });
    await eventually(() => allow.getAttribute("aria-disabled")).toBe("false");
    await tabTo(page, "1Allow");
    await page.keyboard.press("Enter");
    await transcriptOf(page).getByText("answer: allow").waitFor();
    await tabTo(page, "Message to the agent");
    await page.keyboard.type("and now this");
    await page.keyboard.press("Enter");
    await transcriptOf(page).getByText("echo: and now this").waitFor();
    await page.keyboard.press("Escape");
    // One key must follow the other within a second, which a busy machine may not manage at once.
    await eventually(async () => {
      await page.keyboard.press("g");
      await page.keyboard.press("s");
      return new URL(page.url()).pathname;
    }).toBe("/");
    await page.getByRole("link", { name: "Needs an answer" }).waitFor();
  });
});

describe("for people who want nothing to move", () => {
  it("nothing does, also while an agent works", async () => {
    const { id } = await rig.newSession({ title: "Busy", steps: [say("on it"), silent()] });
    await rig.until(id, ({ state }) => state === "running");
    const moving = (page: Page) =>
      page.evaluate(
        () => document.getAnimations().filter(({ playState }) => playState === "running").length,
      );
    const lively = await rig.open(`/sessions/${id}`);
    await transcriptOf(lively).getByText("on it", { exact: true }).waitFor();
    await eventually(() => moving(lively)).toBeGreaterThan(0);
    const calm = await rig.open(`/sessions/${id}`, { calm: true });
    for (const address of [`/sessions/${id}`, "/"]) {
      await calm.goto(address);
      await calm
        .locator("main")
        .getByText("Running", { exact: true })
        .locator("visible=true")
        .first()
        .waitFor();
      await eventually(() => moving(calm)).toBe(0);
    }
    await calm.keyboard.press("?");
    await calm.getByRole("dialog").waitFor();
    await eventually(() => moving(calm)).toBe(0);
  });
});

/** In the page: headless Chromium denies notifications even when they are granted, so a stand-in takes their place. */
function withNotifications(): void {
  if (Notification.permission === "granted") return;
  class Shown extends EventTarget {
    static readonly permission = "granted";
  }
  Object.assign(globalThis, { Notification: Shown });
}

/** In the page: as if another tab were in front of it; and notes what it tells. */
function hidePage(): void {
  const told: unknown[] = [];
  Object.assign(globalThis, { told });
  Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
  globalThis.Notification = new Proxy(Notification, {
    construct: (real, [title, options]: [string, NotificationOptions]) => {
      const { body, data } = options;
      const { href } = data as { readonly href: string };
      told.push({ title, body, href });
      return new real(title, options);
    },
  });
}

function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement: element } = document;
    return element?.getAttribute("aria-label") ?? element?.textContent ?? "";
  });
}

/** Presses Tab until it is there, and one can see that it is. */
async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  while (passed.at(-1) !== name) {
    await page.keyboard.press("Tab");
    passed.push(await focused(page));
    if (passed.length > 80) throw new Error(`${name} is not among ${passed.join(" | ")}`);
  }
  expect(await page.evaluate(isFocusShown)).toBe(true);
}

function isFocusShown(): boolean {
  const { activeElement: element } = document;
  if (element === null || !element.matches(":focus-visible")) return false;
  const shows = (each: Element | null, part?: string): boolean => {
    if (each === null) return false;
    const { outlineStyle, boxShadow } = getComputedStyle(each, part);
    return outlineStyle !== "none" || boxShadow !== "none";
  };
  return shows(element) || shows(element, "::after") || shows(element.parentElement);
}
