import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { say, silent } from "../../packages/server/src/providers/testing/script.ts";
import { eventually } from "./eventually.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

describe("a new server's list", () => {
  it("says how to begin, and the dialog creates a repository, a session and a first message", async () => {
    const page = await rig.open("/", { expected: /403 \(Forbidden\).*\/api\/repos/u });
    await page.getByText("No sessions yet").waitFor();
    await page.getByRole("main").getByRole("button", { name: "New session" }).click();
    const dialog = page.getByRole("dialog", { name: "New session" });
    await dialog.getByLabel("Add a repository").fill("/nowhere");
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await dialog.getByRole("alert").waitFor();
    await dialog.getByLabel("Add a repository").fill(rig.root);
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await dialog.getByLabel("Repository", { exact: true }).waitFor();
    await dialog.getByLabel("Agent").selectOption("demo");
    await dialog.getByLabel("First message").fill("Hello from the dialog");
    await dialog.getByRole("button", { name: "Create and send" }).click();
    await page.waitForURL(/\/sessions\/[^/]+$/u);
    const transcript = page.getByRole("log", { name: "Transcript" });
    await transcript.getByText("Hello from the dialog").waitFor();
    await transcript.getByText("demo agent").first().waitFor();
  });
});

describe("the list", () => {
  it("shows and counts active and suspended sessions, and archived ones on request (A9, A16)", async () => {
    await rig.newSession({ title: "Stopped" });
    const away = await rig.newSession({ title: "Put away" });
    await rig.client.sessions.archive(away.id);
    await rig.stop("SIGTERM");
    await rig.start();
    await rig.newSession({ title: "Open" });

    const page = await rig.open("/");
    await eventually(() => names(page)).toEqual(["Open", "Stopped"]);
    const stopped = page.getByRole("listitem").filter({ hasText: "Stopped" });
    await eventually(() => stopped.textContent()).toContain("New");
    await page.getByRole("button", { name: "All 2", pressed: true }).waitFor();

    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByLabel("Show archived (1)").check();
    await eventually(() => names(page)).toHaveLength(3);
    expect(await names(page)).toContain("Put away");
    await page.getByRole("button", { name: "All 3", pressed: true }).waitFor();
    await page.reload();
    await eventually(() => names(page)).toContain("Put away");
  });

  it("keeps its filters in the address, even after a reload (A16)", async () => {
    const busy = await rig.newSession({ title: "Busy", steps: [say("on it"), silent()] });
    await rig.newSession({ title: "Quiet" });
    await rig.until(busy.id, ({ state }) => state === "running");
    const page = await rig.open("/");
    await eventually(() => names(page)).toHaveLength(2);
    await page.getByRole("button", { name: "Running 1" }).click();
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByLabel("Agent", { exact: true }).selectOption("scripted");
    await eventually(() => names(page)).toEqual(["Busy"]);
    await eventually(() => new URL(page.url()).searchParams.get("state")).toBe("running");
    await page.reload();
    await eventually(() => names(page)).toEqual(["Busy"]);
    await page.getByRole("button", { name: "Running 1", pressed: true }).waitFor();
    await page.getByRole("button", { name: "Remove Scripted" }).click();
    await page.getByRole("button", { name: "All 2" }).click();
    await eventually(() => names(page)).toHaveLength(2);
    await eventually(() => new URL(page.url()).search).toBe("");
  });

  it("says which filter of its address it does not know, and removes it (A16)", async () => {
    await rig.newSession({ title: "There" });
    const page = await rig.open("/?state=sleeping&repo=none");
    await page.getByText("Unknown filter: state=sleeping").waitFor();
    await page.getByText("Unknown repository: none").waitFor();
    await page.getByText("No matching sessions").waitFor();
    await page.getByRole("button", { name: "Remove Unknown filter: state=sleeping" }).click();
    await eventually(() => new URL(page.url()).search).toBe("?repo=none");
    await page.getByRole("button", { name: "Remove Unknown repository: none" }).click();
    await eventually(() => names(page)).toEqual(["There"]);
  });

  it("finds words and marks them", async () => {
    await rig.newSession({ title: "The zebra crossing" });
    await rig.newSession({ title: "Another street" });
    const page = await rig.open("/");
    await eventually(() => names(page)).toHaveLength(2);
    await page.getByRole("searchbox").fill("zeb");
    await eventually(() => names(page)).toEqual(["The zebra crossing"]);
    await eventually(() => page.locator("mark").allTextContents()).toEqual(["zeb"]);
    await eventually(() => new URL(page.url()).searchParams.get("q")).toBe("zeb");
    await page.getByRole("searchbox").fill("giraffe");
    await page.getByText("No matching sessions").waitFor();
    await page.getByRole("button", { name: "Clear search and filters" }).click();
    await eventually(() => names(page)).toHaveLength(2);
    await eventually(() => page.getByRole("searchbox").inputValue()).toBe("");
  });

  it("is usable by keyboard: J, K, Enter, / and ?", async () => {
    for (const title of ["Third", "Second", "First"]) await rig.newSession({ title });
    const page = await rig.open("/");
    await eventually(() => names(page)).toEqual(["First", "Second", "Third"]);
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    for (const [key, name] of [
      ["j", "First"],
      ["j", "Second"],
      ["j", "Third"],
      ["k", "Second"],
    ] as const) {
      await page.keyboard.press(key);
      await eventually(focused).toBe(name);
    }
    await page.keyboard.press("/");
    await page.keyboard.type("j?");
    await eventually(() => page.getByRole("searchbox").inputValue()).toBe("j?");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    // Escape also removes the search from the address.
    await eventually(() => page.evaluate(() => location.search)).toBe("");
    await eventually(() => names(page)).toHaveLength(3);
    await page.keyboard.press("?");
    const shortcuts = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await shortcuts.waitFor();
    await page.keyboard.press("Escape");
    await shortcuts.waitFor({ state: "detached" });
    await page.keyboard.press("j");
    await eventually(focused).toBe("First");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/sessions\//u);
    await page.getByRole("heading", { name: "First" }).waitFor();
  });

  it("follows changes made elsewhere, without a reload", async () => {
    const page = await rig.open("/");
    await page.getByText("No sessions yet").waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    const session = await rig.newSession({ title: "Made elsewhere" });
    await eventually(() => names(page)).toEqual(["Made elsewhere"]);
    await rig.client.sessions.update(session.id, { title: "Renamed elsewhere" });
    await eventually(() => names(page)).toEqual(["Renamed elsewhere"]);
    await rig.client.sessions.archive(session.id);
    await page.getByText("No open sessions").waitFor();
  });

  it("archives an idle session with an undo, and asks before it cancels a busy one (A9, A16)", async () => {
    const busy = await rig.newSession({ title: "Busy", steps: [say("on it"), silent()] });
    const quiet = await rig.newSession({ title: "Quiet" });
    await rig.until(busy.id, ({ state }) => state === "running");
    const page = await rig.open("/");
    await eventually(() => names(page)).toHaveLength(2);

    await page.getByRole("button", { name: "More about Quiet" }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await eventually(() => names(page)).toEqual(["Busy"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await eventually(() => names(page)).toHaveLength(2);
    expect(await rig.client.sessions.get(quiet.id)).toMatchObject({ status: "active" });

    await page.getByRole("button", { name: "More about Busy" }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    const confirmation = page.getByRole("dialog", { name: "Archive this session?" });
    await confirmation.getByRole("button", { name: "Keep it" }).click();
    expect(await rig.client.sessions.get(busy.id)).toMatchObject({ state: "running" });
    await page.getByRole("button", { name: "More about Busy" }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await confirmation.getByRole("button", { name: "Archive" }).click();
    await eventually(() => names(page)).toEqual(["Quiet"]);
    await rig.until(busy.id, ({ status }) => status === "archived");
  });
});

function names(page: Page): Promise<string[]> {
  return page.getByRole("list", { name: "Sessions" }).getByRole("link").allTextContents();
}
