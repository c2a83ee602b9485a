import path from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { newRepository } from "../../packages/server/src/git/testing/new-repository.ts";
import {
  say,
  silent,
  write,
  type Step,
} from "../../packages/server/src/providers/testing/script.ts";
import { eventually } from "./eventually.ts";
import { faultsOf } from "./page-faults.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";
import { transcriptOf } from "./transcript-page.ts";

let rig: PageRig;
let writes = 0;
beforeAll(async () => {
  rig = await openPageRig();
  newRepository(path.join(rig.root, "shop"), { "values.txt": "one\ntwo\n" });
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

const panelOf = (page: Page): Locator => page.getByRole("complementary", { name: "Panel" });
const tab = (within: Locator, name: RegExp): Locator => within.getByRole("tab", { name });

const plan = (...statuses: readonly string[]): Step => ({
  step: "update",
  update: {
    sessionUpdate: "plan",
    entries: statuses.map((status, index) => ({
      content: `Step ${index + 1}`,
      priority: "high",
      status,
    })),
  },
});
const command = (id: string, line: string, output: string): Step => ({
  step: "tool",
  id,
  title: `\`${line}\``,
  kind: "execute",
  input: { command: line },
  output,
});

const FAILS: Step = { step: "fail", code: -32_603, message: "It broke" };

/** A session that planned, ran two commands, changed a file and told what it used. */
async function worked(): Promise<string> {
  const { id } = await rig.newSession({
    title: "Has done things",
    repo: "shop",
    steps: [
      plan("completed", "completed", "pending"),
      command("c1", "npm test", "\u001B[31mred\u001B[0m\nsecond line"),
      command("c2", "git status", "clean"),
      write("values.txt", `one\n${(writes += 1)}\n`),
      {
        step: "update",
        update: {
          sessionUpdate: "usage_update",
          used: 50_000,
          size: 200_000,
          cost: { amount: 0.42, currency: "USD" },
        },
      },
      say("All done"),
      { step: "stop", stopReason: "end_turn", usage: { inputTokens: 1_200, outputTokens: 300 } },
    ],
  });
  await rig.until(id, ({ state, changes }) => state === "idle" && (changes?.files ?? 0) > 0);
  return id;
}

it("beside the transcript, ] shows files, plan, commands and usage of the session, and hides them (C9)", async () => {
  const page = await rig.open(`/sessions/${await worked()}`);
  await transcriptOf(page).getByText("All done", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("]");
  const panel = panelOf(page);
  await tab(panel, /^Files \+1 −1$/u).waitFor();
  await panel.getByRole("button", { name: /values\.txt/u }).waitFor();
  await eventually(() => tab(panel, /^Files/u).evaluate(hasFocus)).toBe(true);

  await page.keyboard.press("ArrowRight");
  await tab(panel, /^Plan 2\/3$/u).waitFor();
  await panel.getByText("Step 3").waitFor();

  await page.keyboard.press("ArrowRight");
  const commands = panel.getByRole("list", { name: /^Commands/u }).getByRole("listitem");
  await eventually(() => commands.count()).toBe(2);
  expect(await commands.first().textContent()).toMatch(/^\$git status.*clean/su);
  expect(await commands.nth(1).locator("pre").textContent()).toBe("red\nsecond line");

  await page.keyboard.press("ArrowRight");
  await panel.getByText("1.5K", { exact: true }).waitFor();
  expect(await panel.getByRole("listitem").count()).toBe(1);

  await page.keyboard.press("]");
  await panel.waitFor({ state: "detached" });
  // It opens again where it was.
  await page.keyboard.press("]");
  await eventually(() => tab(panel, /^Usage/u).getAttribute("aria-selected")).toBe("true");
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
});

it("the usage says that it loads until it is there, and is never empty (C9)", async () => {
  const id = await worked();
  const page = await rig.open("/");
  const [code, runs] = [held(), held()];
  await page.route("**/usage-tab-*.js", (route) => code.before(() => route.continue()));
  await page.route(`**/api/sessions/${id}/events`, async (route) =>
    (await route.request().headerValue("last-event-id")) === "0"
      ? runs.before(() => route.continue())
      : route.continue(),
  );
  await page.goto(`/sessions/${id}`);
  await transcriptOf(page).getByText("All done", { exact: true }).waitFor();
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Usage" }).click();
  const usage = panelOf(page).getByRole("tabpanel");
  await code.asked;
  await usage.getByText("Loading…", { exact: true }).waitFor();
  code.release();
  await runs.asked;
  await usage.getByText("Loading the runs…", { exact: true }).waitFor();
  runs.release();
  await usage.getByText("1.5K", { exact: true }).waitFor();
});

it("the width of a column is dragged, and is the same after a reload (C9)", async () => {
  const page = await rig.open(`/sessions/${await worked()}`);
  await page.getByRole("button", { name: /^Panel/u }).click();
  for (const [name, by, change] of [
    ["Width of the list", 70, 70],
    ["Width of the panel", -60, 60],
  ] as const) {
    const handle = page.getByRole("separator", { name });
    const before = Number(await handle.getAttribute("aria-valuenow"));
    const { x = 0, y = 0 } = (await handle.boundingBox()) ?? {};
    await page.mouse.move(x + 4, y + 200);
    await page.mouse.down();
    await page.mouse.move(x + 4 + by / 2, y + 210);
    await page.mouse.move(x + 4 + by, y + 220);
    await page.mouse.up();
    // After the button is up, the column follows the pointer no more.
    await page.mouse.move(x + 4, y + 200);
    const dragged = String(before + change);
    expect(await handle.getAttribute("aria-valuenow")).toBe(dragged);
    await page.reload();
    await page.getByRole("button", { name: /^Panel/u }).click();
    await handle.waitFor();
    expect(await handle.getAttribute("aria-valuenow")).toBe(dragged);
  }
});

it("the width of the panel is changed with the keyboard and remembered (C9)", async () => {
  const page = await rig.open(`/sessions/${await worked()}`);
  await page.getByRole("button", { name: /^Panel/u }).click();
  const handle = page.getByRole("separator", { name: "Width of the panel" });
  const before = Number(await handle.getAttribute("aria-valuenow"));
  await handle.focus();
  await page.keyboard.press("ArrowLeft");
  await eventually(() => handle.getAttribute("aria-valuenow")).toBe(String(before + 16));
  await page.reload();
  await page.getByRole("button", { name: /^Panel/u }).click();
  await eventually(() => handle.getAttribute("aria-valuenow")).toBe(String(before + 16));
});

it("a phone shows the panel over the whole screen, and no part has accessibility faults (C9)", async () => {
  const id = await worked();
  const faults: string[] = [];
  const phone = await rig.open(`/sessions/${id}`, { phone: true });
  await transcriptOf(phone).getByText("All done", { exact: true }).waitFor();
  await phone.getByRole("button", { name: "More", exact: true }).click();
  await phone.getByRole("menuitem", { name: "Terminal" }).click();
  const sheet = phone.getByRole("dialog", { name: "Panel" });
  expect(await sheet.boundingBox()).toEqual({ x: 0, y: 0, ...phone.viewportSize() });
  for (const name of [/^Terminal/u, /^Plan/u, /^Usage/u]) {
    await tab(sheet, name).click();
    faults.push(...(await faultsOf(phone, `phone ${name.source}`)));
  }
  await tab(sheet, /^Terminal/u).click();
  await sheet.getByRole("button", { name: "npm test" }).click();
  await sheet.waitFor({ state: "detached" });
  const wide = await rig.open(`/sessions/${id}`, { dark: true });
  await wide.getByRole("button", { name: /^Panel/u }).click();
  for (const name of [/^Files/u, /^Plan/u, /^Terminal/u, /^Usage/u]) {
    await tab(panelOf(wide), name).click();
    faults.push(...(await faultsOf(wide, `wide ${name.source}`)));
  }
  expect(faults.join("\n")).toBe("");
});

it("the header is one line: title, repository, agent, one status word and a menu (C9)", async () => {
  const { id } = await rig.newSession({
    title: "One line",
    repo: "shop",
    steps: [say("At work"), silent()],
  });
  for (const options of [{}, { phone: true }]) {
    const page = await rig.open(`/sessions/${id}`, options);
    const header = page.locator("main header").first();
    await header.getByText("Running", { exact: true }).waitFor();
    await header.getByRole("heading", { name: "One line" }).waitFor();
    expect((await header.boundingBox())?.height).toBeLessThanOrEqual(49);
    expect(await header.innerText()).toContain("shop");
    expect(await header.innerText()).not.toContain("Initializing");
    expect(await faultsOf(page, "header")).toEqual([]);
  }
});

it("the header says that the last run failed (C9)", async () => {
  const { id } = await rig.newSession({ title: "Went wrong", steps: [say("Trying"), FAILS] });
  await rig.until(id, ({ lastTurn }) => lastTurn.outcome === "failed");
  const page = await rig.open(`/sessions/${id}`);
  await page.locator("main header").first().getByText("Failed", { exact: true }).waitFor();
});

it("a phase that nobody set is shown nowhere (C9)", async () => {
  const { id } = await rig.newSession({ title: "Answered", steps: [say("An answer")] });
  await rig.until(id, ({ lastTurn }) => lastTurn.outcome === "completed");
  expect(await rig.client.sessions.get(id)).toMatchObject({ phase: "initializing" });
  const page = await rig.open("/");
  const row = page.getByRole("listitem").filter({ hasText: "Answered" });
  await row.getByText("An answer").waitFor();
  expect(await row.textContent()).not.toMatch(/initializing/iu);
  await row.getByRole("link").click();
  await page.locator("main header").first().getByText("Done", { exact: true }).waitFor();
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Details" }).click();
  await page.getByRole("dialog", { name: "Details" }).getByText(id).first().waitFor();
  expect(await page.getByText("Initializing").count()).toBe(0);
});

it("a click on the title renames the session, and a phone renames it from the menu (C9)", async () => {
  const { id } = await rig.newSession({ title: "Old name" });
  const page = await rig.open(`/sessions/${id}`);
  await page.getByRole("heading").getByRole("button", { name: "Old name" }).click();
  await page.getByLabel("Title").fill("New name");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "New name" }).waitFor();
  const phone = await rig.open(`/sessions/${id}`, { phone: true });
  await phone.getByRole("button", { name: "More", exact: true }).click();
  await phone.getByRole("menuitem", { name: "Rename" }).click();
  await phone.getByLabel("Title").fill("Newer name");
  await phone.keyboard.press("Enter");
  await phone.getByRole("heading", { name: "Newer name" }).waitFor();
  await page.getByRole("heading", { name: "Newer name" }).waitFor();
});

it("a fork has a title of its own and names its original (C9)", async () => {
  const { id } = await rig.newSession({ title: "The original", steps: [say("Said")] });
  const page = await rig.open(`/sessions/${id}`);
  await transcriptOf(page).getByText("Said", { exact: true }).waitFor();
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Fork" }).click();
  await page.getByRole("heading", { name: "The original (fork)" }).waitFor();
  await page.getByRole("link", { name: "Fork of The original" }).click();
  await page.waitForURL(`**/sessions/${id}`);
});

/** Holds what a page asks for until it is released. */
function held() {
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  return {
    asked: asked.promise,
    release: released.resolve,
    before: async (answer: () => Promise<void>): Promise<void> => {
      asked.resolve();
      await released.promise;
      await answer();
    },
  };
}

function hasFocus(element: Element): boolean {
  return element === document.activeElement;
}
