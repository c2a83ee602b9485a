import { writeFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  ask,
  fail,
  say,
  silent,
  tool,
  waitFor,
} from "../../packages/server/src/providers/testing/script.ts";
import { eventually } from "./eventually.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

const FAILURE = fail({ code: -32_603, message: "no key" });
const PUSH = ask({ id: "t", title: "git push", kind: "execute" });

describe("the groups of the list", () => {
  it("show what needs you first, then what runs, what failed, and the rest (A16)", async () => {
    const done = await rig.newSession({ title: "Ended", steps: [say("All tests pass.")] });
    await rig.until(done.id, ({ lastTurn }) => lastTurn.outcome === "completed");
    const waits = await rig.newSession({ title: "Asks", steps: [PUSH] });
    await rig.until(waits.id, ({ state }) => state === "suspended");
    const failed = await rig.newSession({
      title: "Broke",
      steps: [FAILURE],
    });
    await rig.until(failed.id, ({ lastTurn }) => lastTurn.outcome === "failed");
    const busy = await rig.newSession({ title: "Works", steps: [say("on it"), silent()] });
    await rig.until(busy.id, ({ state }) => state === "running");
    const page = await rig.open("/");
    await eventually(() => lines(page)).toEqual([
      "Needs you",
      "Asks",
      "Running",
      "Works",
      "Failed",
      "Broke",
      "Today",
      "Ended",
    ]);
    await page.getByRole("button", { name: "Needs you 1" }).waitFor();
    await page.getByRole("button", { name: "Running 1" }).waitFor();
    const row = (name: string) => page.getByRole("listitem").filter({ hasText: name });
    await row("Asks").last().getByText("Run git push").waitFor();
    expect(await row("Ended").textContent()).toContain("All tests pass.");
    expect(await row("Broke").textContent()).toContain("Failed");
  });

  it("do not move under the pointer, say that they would, and move when it leaves (A16)", async () => {
    const gate = rig.gate();
    const works = await rig.newSession({ title: "Works", steps: [waitFor(gate), PUSH] });
    await rig.until(works.id, ({ state }) => state === "running");
    const done = await rig.newSession({ title: "Ended", steps: [say("done")] });
    await rig.until(done.id, ({ lastTurn }) => lastTurn.outcome === "completed");
    const page = await rig.open("/");
    await eventually(() => lines(page)).toEqual(["Running", "Works", "Today", "Ended"]);
    await page.getByRole("link", { name: "Ended" }).hover();
    writeFileSync(gate, "");
    await page.getByRole("button", { name: "Needs you 1" }).waitFor();
    await page.getByRole("button", { name: "1 session moved" }).waitFor();
    expect(await lines(page)).toEqual(["Running", "Works", "Today", "Ended"]);
    await page.getByRole("searchbox").hover();
    await eventually(() => lines(page)).toEqual(["Needs you", "Works", "Today", "Ended"]);
  });

  it("mark a session whose run ended while another page was open as unread (A16)", async () => {
    const gate = rig.gate();
    const { id } = await rig.newSession({ title: "Works", steps: [waitFor(gate), say("done")] });
    await rig.until(id, ({ state }) => state === "running");
    const page = await rig.open("/");
    await page.getByRole("link", { name: "Works" }).waitFor();
    expect(await page.getByText("Unread").count()).toBe(0);
    writeFileSync(gate, "");
    await page.getByText("Unread").waitFor();
  });
});

describe("a running session", () => {
  it("shows its step and for how long it runs, in the words of the session (A16)", async () => {
    const gate = rig.gate();
    const { id } = await rig.newSession({
      title: "Works",
      steps: [
        say("on it"),
        tool({ id: "t1", title: "Read `retry.ts`", kind: "read", ends: null }),
        waitFor(gate),
        tool({ id: "t1", title: "Read `retry.ts`", kind: "read", ends: "completed" }),
        tool({ id: "t2", title: "Edit `retry.ts`", kind: "edit", ends: null }),
        silent(),
      ],
    });
    const page = await rig.open("/");
    const row = page.getByRole("listitem").filter({ hasText: "Works" });
    await row.getByText("Read retry.ts", { exact: true }).waitFor();
    expect(await row.getByRole("timer").textContent()).toMatch(/^0:\d\d$/u);
    writeFileSync(gate, "");
    await row.getByText("Edit retry.ts", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Works" }).click();
    const now = page.getByRole("region", { name: "Current activity" });
    await now.getByText("Edit retry.ts", { exact: true }).waitFor();
    const column = page.getByRole("navigation", { name: "Sessions" });
    await column.getByText("Edit retry.ts", { exact: true }).waitFor();
    await rig.client.sessions.cancel(id);
    await column.getByRole("timer").waitFor({ state: "detached" });
  });
});

describe("the filter for failed sessions", () => {
  it("lists those whose last run failed, with their exact number, and follows them (A16)", async () => {
    for (const title of ["Broke", "Also broke"]) {
      const { id } = await rig.newSession({ title, steps: [FAILURE] });
      await rig.until(id, ({ lastTurn }) => lastTurn.outcome === "failed");
    }
    const done = await rig.newSession({ title: "Ended", steps: [say("done")] });
    await rig.until(done.id, ({ lastTurn }) => lastTurn.outcome === "completed");
    const page = await rig.open("/");
    const chip = (count: number) => page.getByRole("button", { name: `Failed ${count}` });
    await chip(2).click();
    await eventually(() => names(page)).toEqual(["Also broke", "Broke"]);
    expect(new URL(page.url()).search).toBe("?outcome=failed");
    expect(await chip(2).getAttribute("aria-pressed")).toBe("true");
    const another = await rig.newSession({ title: "Broke last", steps: [FAILURE] });
    await rig.until(another.id, ({ lastTurn }) => lastTurn.outcome === "failed");
    await chip(3).waitFor();
    await eventually(() => names(page)).toEqual(["Broke last", "Also broke", "Broke"]);
    await page.getByRole("button", { name: "All 4" }).click();
    await eventually(() => names(page)).toHaveLength(4);
  });

  it("says that it does not know another outcome (A16)", async () => {
    await rig.newSession({ title: "There" });
    const page = await rig.open("/?outcome=lost");
    await page.getByText("Unknown filter: outcome=lost").waitFor();
    await page.getByRole("link", { name: "There" }).waitFor();
  });
});

describe("a selection", () => {
  it("of all sessions says how many these are while more can be read (A16)", async () => {
    for (let count = 1; count <= 51; count += 1) await rig.newSession({ title: `No. ${count}` });
    const page = await rig.open("/");
    await page.getByRole("checkbox", { name: "Select No. 51" }).check();
    const bar = page.getByRole("toolbar", { name: "Selected sessions" });
    await bar.getByRole("button", { name: "Select all 50 shown" }).click();
    await bar.getByText("50 selected").waitFor();
    await page.getByRole("link", { name: "No. 51" }).focus();
    for (let row = 0; row < 45; row += 1) await page.keyboard.press("ArrowDown");
    await bar.getByRole("button", { name: "Select all (51)" }).click();
    await bar.getByText("51 selected").waitFor();
  });

  it("is what E archives, with an undo, and the focus goes to the next row (A9, A16)", async () => {
    for (const title of ["Fourth", "Third", "Second", "First"]) await rig.newSession({ title });
    const page = await rig.open("/");
    await eventually(() => names(page)).toEqual(["First", "Second", "Third", "Fourth"]);
    await page.getByRole("checkbox", { name: "Select First" }).check();
    await page.getByRole("checkbox", { name: "Select Third" }).check();
    await page.getByRole("link", { name: "Second" }).focus();
    await page.keyboard.press("e");
    await eventually(() => names(page)).toEqual(["Second", "Fourth"]);
    await eventually(() => focused(page)).toBe("Second");
    await page.getByRole("button", { name: "Undo" }).click();
    await eventually(() => names(page)).toHaveLength(4);

    await page.getByRole("link", { name: "Second" }).focus();
    await page.keyboard.press("e");
    await eventually(() => names(page)).toEqual(["First", "Third", "Fourth"]);
    await eventually(() => focused(page)).toBe("Third");
  });

  it("can be all sessions, which are exported, and deleted after a question (A16)", async () => {
    for (const title of ["Second", "First"]) await rig.newSession({ title });
    const page = await rig.open("/");
    await page.getByRole("checkbox", { name: "Select First" }).check();
    const bar = page.getByRole("toolbar", { name: "Selected sessions" });
    await bar.getByText("1 selected").waitFor();
    await bar.getByRole("button", { name: "Select all (2)" }).click();
    await bar.getByText("2 selected").waitFor();
    const saved: string[] = [];
    page.on("download", (download) => void saved.push(download.suggestedFilename()));
    await bar.getByRole("button", { name: "Export" }).click();
    await eventually(() => saved.length).toBe(2);
    await bar.getByRole("button", { name: "Delete…" }).click();
    const question = page.getByRole("dialog", { name: "Delete 2 sessions?" });
    await question.getByRole("button", { name: "Keep it" }).click();
    await question.waitFor({ state: "detached" });
    await bar.getByRole("button", { name: "Delete…" }).click();
    await question.getByRole("button", { name: "Delete 2 sessions" }).click();
    await page.getByText("No sessions yet").waitFor();
    expect((await rig.client.sessions.list()).total).toBe(0);
  });
});

/** The headings and names, from top to bottom. */
function lines(page: Page): Promise<string[]> {
  return page
    .getByRole("list", { name: "Sessions" })
    .locator("h2, a")
    .evaluateAll((elements) =>
      elements
        .toSorted((one, other) => one.getBoundingClientRect().y - other.getBoundingClientRect().y)
        .map((element) => element.textContent ?? ""),
    );
}

async function names(page: Page): Promise<string[]> {
  return page
    .getByRole("list", { name: "Sessions" })
    .locator("a")
    .evaluateAll((elements) =>
      elements
        .toSorted((one, other) => one.getBoundingClientRect().y - other.getBoundingClientRect().y)
        .map((element) => element.textContent ?? ""),
    );
}

function focused(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.textContent ?? "");
}
