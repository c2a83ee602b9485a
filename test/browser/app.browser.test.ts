import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ask, say, silent } from "../../packages/server/src/providers/testing/script.ts";
import { eventually } from "./eventually.ts";
import { focused, tabTo } from "./keyboard-page.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";
import { transcriptOf } from "./transcript-page.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

describe("the palette", () => {
  it("finds a session by words, opens pages and changes the theme, by keyboard only", async () => {
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
  it("explains the keys of all pages", async () => {
    const page = await rig.open("/");
    await page.getByText("No sessions yet").waitFor();
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    const keysOf = (meaning: string) =>
      dialog.locator("dl > div", { hasText: meaning }).locator("kbd").allTextContents();
    await dialog.getByText("Allow once").waitFor();
    expect(await keysOf("Allow once")).toEqual(["1"]);
    expect(await keysOf("Allow always")).toEqual(["2"]);
    expect(await keysOf("Reject, inside the card")).toEqual(["Esc"]);
    expect(await keysOf("Next card in the inbox")).toEqual(["J"]);
    expect(await keysOf("Interrupt and send")).toEqual(["Ctrl", "Enter"]);
    expect(await keysOf("Find in the session")).toEqual(["Ctrl", "F", "/"]);
  });
});

describe("notifications", () => {
  it("are turned on in the settings, and report requests while the page is hidden", async () => {
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
    const notifications = () => page.evaluate<unknown>("globalThis.notifications");
    await eventually(notifications).toEqual([
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
    expect(await notifications()).toHaveLength(1);
  });
});

describe("a browser with an invalid language tag", () => {
  it("still draws charts", async () => {
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

describe("the keyboard alone", () => {
  it("opens a session from the list, answers its request and sends the next message", async () => {
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
    // In the session, letters go into the message box; elsewhere they are shortcuts.
    await page
      .getByRole("link", { name: /^Inbox/u })
      .first()
      .focus();
    // The second key must follow within a second, which may need several tries on a busy machine.
    await eventually(async () => {
      await page.keyboard.press("g");
      await page.keyboard.press("s");
      return new URL(page.url()).pathname;
    }).toBe("/");
    await page.getByRole("link", { name: "Needs an answer" }).waitFor();
  });
});

describe("with reduced motion", () => {
  it("nothing moves, even while an agent works", async () => {
    const { id } = await rig.newSession({ title: "Busy", steps: [say("on it"), silent()] });
    await rig.until(id, ({ state }) => state === "running");
    const moving = (page: Page) =>
      page.evaluate(
        () => document.getAnimations().filter(({ playState }) => playState === "running").length,
      );
    const animated = await rig.open(`/sessions/${id}`, { motion: true });
    await transcriptOf(animated).getByText("on it", { exact: true }).waitFor();
    await eventually(() => moving(animated)).toBeGreaterThan(0);
    const calm = await rig.open(`/sessions/${id}`);
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

/** Runs in the page. Headless Chromium denies notifications even if they are granted, so this class replaces them. */
function withNotifications(): void {
  if (Notification.permission === "granted") return;
  class GrantedNotification extends EventTarget {
    static readonly permission = "granted";
  }
  Object.assign(globalThis, { Notification: GrantedNotification });
}

/** Runs in the page. Hides it, as if another tab were in front, and records its notifications. */
function hidePage(): void {
  const notifications: unknown[] = [];
  Object.assign(globalThis, { notifications });
  Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
  globalThis.Notification = new Proxy(Notification, {
    construct: (real, [title, options]: [string, NotificationOptions]) => {
      const { body, data } = options;
      const { href } = data as { readonly href: string };
      notifications.push({ title, body, href });
      return new real(title, options);
    },
  });
}
