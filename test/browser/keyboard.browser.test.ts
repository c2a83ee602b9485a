import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, it } from "vitest";
import { ASKED_BY_CODEX } from "../../packages/protocol/src/form/testing/real-forms.ts";
import { newRepository } from "../../packages/server/src/git/testing/new-repository.ts";
import {
  elicit,
  say,
  script,
  silent,
  write,
} from "../../packages/server/src/providers/testing/script.ts";
import { eventually } from "./eventually.ts";
import { focused, tabTo } from "./keyboard-page.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";
import { transcriptOf } from "./transcript-page.ts";

// The keyboard alone, from the address of the page on. The list, the palette, permissions and the tabs of the panel
// have such tests in list, app, approvals and panel.

let rig: PageRig;
let repositories = 0;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

const box = (page: Page): Locator => page.getByLabel("Message to the agent");
const opened = (page: Page): Promise<void> => box(page).and(page.locator(":focus")).waitFor();

/** A session that changed `values.txt` in a repository of its own. */
async function worked(): Promise<{ readonly id: string; readonly file: string }> {
  const repo = `typed-${(repositories += 1)}`;
  const file = path.join(rig.root, repo, "values.txt");
  newRepository(path.dirname(file), { "values.txt": "one\ntwo\nthree\n" });
  const { id } = await rig.newSession({ title: "Worked", repo });
  const wish = `First wish\n${script(write("values.txt", "one\n2\nthree\n"), say("All done"))}`;
  await rig.client.sessions.send(id, { text: wish });
  await rig.until(id, ({ state, changes }) => state === "idle" && changes !== null);
  return { id, file };
}

it("the keyboard alone creates a session and sends messages (C9, A16)", async () => {
  await rig.client.repos.add({ path: "." });
  const page = await rig.open("/");
  await page.getByText("No sessions yet").waitFor();
  await page.keyboard.press("c");
  const dialog = page.getByRole("dialog", { name: "New session" });
  await dialog.getByLabel("Agent", { exact: true }).waitFor();
  await tabTo(page, "Agent");
  await page.keyboard.type("Scripted");
  await tabTo(page, "First message");
  await page.keyboard.type("from the keyboard");
  await page.keyboard.press("Control+Enter");
  await transcriptOf(page).getByText("echo: from the keyboard").waitFor();
  await opened(page);
  await page.keyboard.type("and more");
  await page.keyboard.press("Enter");
  await transcriptOf(page).getByText("echo: and more").waitFor();
});

it("the keyboard alone stops a run (C9, A16)", async () => {
  const { id } = await rig.newSession({ title: "Works", steps: [say("On it"), silent()] });
  await rig.until(id, ({ state }) => state === "running");
  const page = await rig.open(`/sessions/${id}`);
  await transcriptOf(page).getByText("On it", { exact: true }).waitFor();
  await opened(page);
  // The first leaves the message box.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  const question = page.getByRole("dialog", { name: "Stop this run?" });
  await question.waitFor();
  await tabTo(page, "Stop");
  await page.keyboard.press("Enter");
  await transcriptOf(page).getByText("You stopped this run").waitFor();
  await rig.until(id, ({ state }) => state === "idle");
});

it("the keyboard alone answers a form (D1, C9)", async () => {
  const { id } = await rig.newSession({
    title: "Asks with a form",
    steps: [elicit({ mode: "form", message: "Where?", requestedSchema: ASKED_BY_CODEX })],
  });
  await rig.until(id, ({ state }) => state === "suspended");
  const page = await rig.open(`/sessions/${id}`);
  const decline = page.getByRole("button", { name: "Decline" });
  await eventually(() => decline.getAttribute("aria-disabled")).toBe("false");
  await tabTo(page, /^Staging/u);
  await page.keyboard.press("ArrowDown");
  await tabTo(page, /^Which key/u);
  await page.keyboard.type("k-123");
  await tabTo(page, "Send answer");
  await page.keyboard.press("Enter");
  const reply = { action: "accept", content: { place: "Production", key: "k-123" } };
  await transcriptOf(page)
    .getByText(`elicited: ${JSON.stringify(reply)}`)
    .waitFor();
});

it("the keyboard alone comments on a changed line, and sends the comment (D7, C9)", async () => {
  const { id } = await worked();
  const page = await rig.open(`/sessions/${id}`);
  await transcriptOf(page).getByText("All done", { exact: true }).waitFor();
  await opened(page);
  await page.keyboard.press("Escape");
  await page.keyboard.press("]");
  await eventually(() => focused(page)).toMatch(/^Files/u);
  await page.getByRole("button", { name: /values\.txt/u }).waitFor();
  await tabTo(page, /^MModifiedvalues\.txt/u);
  await page.keyboard.press("Enter");
  const diff = page.getByRole("figure", { name: "Changes in values.txt" });
  await diff.getByText("Removed: two").waitFor();
  await tabTo(page, "Comment on line 1");
  for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
  await eventually(() => focused(page)).toBe("Comment on line 2");
  await diff.getByRole("textbox", { name: "Comment on line 2" }).waitFor();
  await page.keyboard.type("Write it out");
  await page.keyboard.press("Control+Enter");
  await diff.getByRole("article", { name: "Comment on line 2" }).waitFor();
  await tabTo(page, "Add to message");
  await page.keyboard.press("Enter");
  await opened(page);
  await page.keyboard.press("Enter");
  await rig.until(id, ({ messages }) =>
    messages.some(({ content }) => JSON.stringify(content).includes("Write it out")),
  );
});

it("the keyboard alone goes back to before a message, and undoes it (D7, C9)", async () => {
  const { id, file } = await worked();
  const page = await rig.open(`/sessions/${id}`);
  await transcriptOf(page).getByText("All done", { exact: true }).waitFor();
  await opened(page);
  await tabTo(page, "More actions on this message");
  await page.keyboard.press("Enter");
  await page.locator("[role=menu]:focus, [role=menuitem]:focus").waitFor();
  await page.keyboard.press("End");
  await eventually(() => focused(page)).toMatch(/^Go back to before this message/u);
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Go back to before this message?" });
  await dialog.getByRole("button", { name: "Go back", disabled: false }).waitFor();
  await tabTo(page, "Go back");
  await page.keyboard.press("Enter");
  await transcriptOf(page).getByRole("button", { name: "2 messages were taken back" }).waitFor();
  const restored = "one\ntwo\nthree\n";
  await eventually(() => existsSync(file) && readFileSync(file, "utf8")).toBe(restored);
  await dialog.waitFor({ state: "detached" });
  await tabTo(page, "Undo");
  await page.keyboard.press("Enter");
  await eventually(() => existsSync(file) && readFileSync(file, "utf8")).toBe("one\n2\nthree\n");
});

it("the keyboard alone changes the widths of the columns (C9)", async () => {
  const { id } = await worked();
  const page = await rig.open(`/sessions/${id}`);
  await transcriptOf(page).getByText("All done", { exact: true }).waitFor();
  await opened(page);
  await page.keyboard.press("Escape");
  await page.keyboard.press("]");
  await eventually(() => focused(page)).toMatch(/^Files/u);
  for (const [name, key, change] of [
    ["Width of the panel", "ArrowLeft", 16],
    ["Width of the list", "ArrowLeft", -16],
  ] as const) {
    const handle = page.getByRole("separator", { name });
    const before = Number(await handle.getAttribute("aria-valuenow"));
    await tabTo(page, name);
    await page.keyboard.press(key);
    await eventually(() => handle.getAttribute("aria-valuenow")).toBe(String(before + change));
  }
});

it("the keyboard alone archives a selection, and undoes it (A9, A16)", async () => {
  for (const title of ["Third", "Second", "First"]) await rig.newSession({ title });
  const page = await rig.open("/");
  const names = () =>
    page.getByRole("list", { name: "Sessions" }).getByRole("link").allTextContents();
  await eventually(names).toEqual(["First", "Second", "Third"]);
  for (const [key, name] of [
    ["j", "First"],
    ["x", "First"],
    ["j", "Second"],
    ["x", "Second"],
  ] as const) {
    await page.keyboard.press(key);
    await eventually(() => focused(page)).toBe(name);
  }
  await page.getByText("2 selected").waitFor();
  await page.keyboard.press("e");
  await eventually(names).toEqual(["Third"]);
  await eventually(() => focused(page)).toBe("Third");
  await tabTo(page, "Undo");
  await page.keyboard.press("Enter");
  await eventually(names).toHaveLength(3);
});
