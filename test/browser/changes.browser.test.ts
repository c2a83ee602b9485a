import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { newRepository } from "../../packages/server/src/git/testing/new-repository.ts";
import {
  say,
  script,
  shell,
  write,
  type Step,
} from "../../packages/server/src/providers/testing/script.ts";
import { eventually } from "./eventually.ts";
import { faultsOf } from "./page-faults.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";
import { transcriptOf } from "./transcript-page.ts";

let rig: PageRig;
let repositories = 0;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

interface Worked {
  readonly id: string;
  readonly fileOf: (name: string) => string;
}

const VALUES = ["one", "two", "three", "four", "five", "six"].join("\n");

/** A session with two runs: the first changes a file, the second renames one and adds another. */
async function workedSession(): Promise<Worked> {
  const repo = `repo-${(repositories += 1)}`;
  const folder = path.join(rig.root, repo);
  newRepository(folder, { "values.txt": `${VALUES}\n`, "old.txt": "a\nb\nc\nd\n" });
  const fileOf = (name: string): string => path.join(folder, name);
  const { id } = await rig.newSession({ title: "Has changes", repo });
  await turn(id, "First wish", write("values.txt", `${VALUES.replace("two", "2")}\n`));
  await turn(id, "Second wish", shell("git mv old.txt new.txt && echo note > note.txt"));
  return { id, fileOf };
}

/** Sends a message, and waits until what its run changed is known. */
async function turn(id: string, words: string, ...steps: readonly Step[]): Promise<void> {
  const { run } = await rig.client.sessions.send(id, {
    text: `${words}\n${script(...steps, say(`Done: ${words}`))}`,
  });
  for await (const { event } of rig.client.sessions.follow(id)) {
    const { runs } = await rig.client.sessions.runs(id, { limit: 100 });
    const now = runs.find((each) => each.id === run.id);
    if (now?.status === "completed" && now.changes !== null) return;
    if (event?.type === "deleted") throw new Error("the session was deleted");
  }
}

const panelButton = (page: Page): Locator => page.getByRole("button", { name: /^Panel/u });
const fileIn = (panel: Locator, name: RegExp): Locator =>
  panel.getByRole("listitem").getByRole("button", { name });
const messageOf = (page: Page, words: string): Locator =>
  transcriptOf(page).getByRole("article", { name: "You" }).filter({ hasText: words });

/** Opens the dialog that asks whether to go back, with its dry run. */
async function askToGoBack(page: Page, words: string): Promise<Locator> {
  await messageOf(page, words).hover();
  await messageOf(page, words)
    .getByRole("button", { name: "More actions on this message" })
    .click();
  await page.getByRole("menuitem", { name: "Go back to before this message…" }).click();
  const dialog = page.getByRole("dialog", { name: "Go back to before this message?" });
  await dialog.getByRole("button", { name: "Go back", disabled: false }).waitFor();
  return dialog;
}

it("D7 shows the files that a session and a run changed, with their diffs and a patch", async () => {
  const { id, fileOf } = await workedSession();
  writeFileSync(fileOf("by-hand.txt"), "by hand\n");
  const page = await rig.open(`/sessions/${id}`);
  await transcriptOf(page).getByText("Done: Second wish", { exact: true }).waitFor();
  expect(await panelButton(page).textContent()).toBe("+2 −1");
  await panelButton(page).click();
  const panel = page.getByRole("complementary", { name: "Panel" });
  await panel.getByText("4 files, +3 −1").waitFor();
  const listed = panel.getByRole("list", { name: /^Changed files/u }).getByRole("listitem");
  expect(await listed.allTextContents()).toEqual([
    "AAddedby-hand.txtby others+1−0",
    "RRenamedold.txt → new.txt",
    "AAddednote.txt+1−0",
    "MModifiedvalues.txt+1−1",
  ]);
  // Arrow keys lead to the last file, and Enter unfolds it.
  await fileIn(panel, /by-hand\.txt/u).focus();
  for (const key of ["ArrowDown", "End", "Enter"]) await page.keyboard.press(key);
  const diff = panel.getByRole("figure", { name: "Changes in values.txt" });
  await diff.getByText("Removed: two").waitFor();
  expect(await diff.locator("[data-line=added]").allTextContents()).toEqual(["2+Added: 2"]);

  const download = page.waitForEvent("download");
  await panel.getByRole("button", { name: "Patch" }).click();
  const patch = path.join(rig.root, "saved.patch");
  await (await download).saveAs(patch);
  expect(readFileSync(patch, "utf8")).toContain("+++ b/values.txt");

  await panel.getByRole("button", { name: "Last run" }).click();
  await panel.getByText("2 files, +1 −0").waitFor();
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  await transcriptOf(page).getByRole("button", { name: "+1 −1 in 1 file" }).click();
  await panel.getByText("1 file, +1 −1").waitFor();
  expect(await panel.getByLabel("Run").inputValue()).toBe(
    (await rig.client.sessions.runs(id)).runs[0]?.id,
  );

  // It follows what later runs change.
  await panel.getByRole("button", { name: "This session" }).click();
  await turn(id, "Third wish", write("third.txt", "3\n"));
  await panel.getByText("5 files, +4 −1").waitFor();
});

it("D7 says why the changes of a session are not known", async () => {
  const { id } = await rig.newSession({ title: "No repository of Git", steps: [say("Said")] });
  await rig.until(id, ({ state, messages }) => state === "idle" && messages.length > 1);
  const page = await rig.open(`/sessions/${id}`);
  await transcriptOf(page).getByText("Said", { exact: true }).waitFor();
  expect(await panelButton(page).textContent()).toBe("");
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Files" }).click();
  const { reason } = await rig.client.sessions.changes(id);
  const panel = page.getByRole("complementary", { name: "Panel" });
  await panel.getByText(reason ?? "a reason", { exact: true }).waitFor();
});

it("D7 goes back to before a message after a dry run, folds what was taken back, and undoes it", async () => {
  const { id, fileOf } = await workedSession();
  writeFileSync(fileOf("note.txt"), "changed by hand\n");
  const page = await rig.open(`/sessions/${id}`);
  const dialog = await askToGoBack(page, "Second wish");
  const partOf = (title: string): Locator => dialog.getByRole("list", { name: title });
  expect(await partOf("1 message and its answer leave the conversation:").textContent()).toBe(
    "Second wish",
  );
  expect(await partOf("These files are restored:").textContent()).toContain("old.txt");
  expect(await partOf("These files are removed:").textContent()).toContain("new.txt");
  expect(await partOf("These files stay as they are:").textContent()).toBe(
    "note.txt: somebody else has changed it since",
  );
  await dialog.getByLabel("Also overwrite what others changed").check();
  await partOf("These files stay as they are:").waitFor({ state: "detached" });
  await dialog.getByLabel("Also overwrite what others changed").uncheck();
  await partOf("These files stay as they are:").waitFor();
  // So far nothing was done.
  expect([existsSync(fileOf("old.txt")), existsSync(fileOf("new.txt"))]).toEqual([false, true]);

  await dialog.getByRole("button", { name: "Go back", disabled: false }).click();
  await page.getByText("Rewound. 1 file stays as it is.", { exact: true }).waitFor();
  expect([existsSync(fileOf("old.txt")), existsSync(fileOf("new.txt"))]).toEqual([true, false]);
  const fold = transcriptOf(page).getByRole("button", { name: "2 messages were taken back" });
  await fold.waitFor();
  expect(await messageOf(page, "Second wish").count()).toBe(0);
  await eventually(() => page.getByLabel("Message to the agent").inputValue()).toContain(
    "Second wish",
  );
  await fold.click();
  await messageOf(page, "Second wish").waitFor();
  await fold.click();
  await messageOf(page, "Second wish").waitFor({ state: "detached" });
  await page.reload();
  await fold.waitFor();

  await page.getByRole("button", { name: "Undo" }).click();
  await messageOf(page, "Second wish").waitFor();
  await fold.waitFor({ state: "detached" });
  await eventually(() => [existsSync(fileOf("old.txt")), existsSync(fileOf("new.txt"))]).toEqual([
    false,
    true,
  ]);
  await page.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });
  await eventually(() => page.getByLabel("Message to the agent").inputValue()).toBe("");
});

it("D7 the changes and the question before a rewind fit a phone and pass the accessibility rules", async () => {
  const { id } = await workedSession();
  const page = await rig.open(`/sessions/${id}`, { phone: true, dark: true });
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Files" }).click();
  const sheet = page.getByRole("dialog", { name: "Panel" });
  await fileIn(sheet, /values\.txt/u).click();
  await sheet.getByText("Removed: two").waitFor();
  expect(await sheet.boundingBox()).toEqual({ x: 0, y: 0, ...page.viewportSize() });
  const faults = [...(await faultsOf(page, "changes"))];
  await page.keyboard.press("Escape");
  const dialog = await askToGoBack(page, "Second wish");
  faults.push(...(await faultsOf(page, "rewind")));
  await dialog.getByRole("button", { name: "Go back", disabled: false }).click();
  await transcriptOf(page).getByRole("button", { name: "2 messages were taken back" }).click();
  await messageOf(page, "Second wish").waitFor();
  faults.push(...(await faultsOf(page, "rewound")));
  expect(faults.join("\n")).toBe("");
});

it("D7 a session in a worktree of its own shows its branch, and its end says what became of it", async () => {
  const { id } = await workedSession();
  const { repoId } = await rig.client.sessions.get(id);
  const page = await rig.open("/");
  await page.getByRole("list", { name: "Sessions" }).waitFor();
  await page.keyboard.press("c");
  const created = page.getByRole("dialog", { name: "New session" });
  await created.getByLabel("Repository", { exact: true }).selectOption(repoId ?? "");
  await created.getByLabel("Agent", { exact: true }).selectOption("scripted");
  await created.getByLabel("In a worktree of its own").check();
  await created.getByLabel("Base").fill("main");
  await created.getByLabel("First message").fill(script(write("fresh.txt", "x\n"), say("Made it")));
  await created.getByLabel("Title").fill("Apart");
  await created.getByRole("button", { name: "Create and send" }).click();
  await transcriptOf(page).getByText("Made it", { exact: true }).waitFor();
  const apart = (await rig.client.sessions.list()).sessions.find(({ title }) => title === "Apart");
  const { branch = "", path: folder = "" } = apart?.worktree ?? {};
  await page.getByRole("button", { name: branch }).click();
  const details = page.getByRole("dialog", { name: "Details" });
  await details.getByText(folder, { exact: true }).waitFor();
  await details.getByRole("button", { name: "Copy: Folder" }).waitFor();
  await page.keyboard.press("Escape");
  await details.waitFor({ state: "detached" });

  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete this session?" });
  await dialog.getByLabel("Remove its worktree although not everything is committed").check();
  await dialog.getByText(/kept as a Git ref first/u).waitFor();
  await dialog.getByLabel('Type "delete" to delete it').fill("delete");
  await dialog.getByRole("button", { name: "Delete for good" }).click();
  await page.getByText(/Its worktree was removed\./u).waitFor();
  expect(existsSync(folder)).toBe(false);
});
