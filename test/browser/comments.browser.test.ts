import path from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { newRepository } from "../../packages/server/src/git/testing/new-repository.ts";
import { say, script, write } from "../../packages/server/src/providers/testing/script.ts";
import { faultsOf } from "./page-faults.ts";
import { openPageRig, type OpenOptions, type PageRig } from "./page-rig.ts";
import { transcriptOf } from "./transcript-page.ts";

let rig: PageRig;
let repositories = 0;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

const BEFORE = "one\ntwo\nthree\nfour\nfive\n";
const AFTER = "one\n2\nthree\nfour\n5\nsix\n";

interface Review {
  readonly id: string;
  readonly page: Page;
  readonly diff: Locator;
}

/** Opens the diff of a session that changed `values.txt`. */
async function openReview(options: OpenOptions = {}): Promise<Review> {
  const repo = `reviewed-${(repositories += 1)}`;
  newRepository(path.join(rig.root, repo), { "values.txt": BEFORE });
  const { id } = await rig.newSession({ title: "Has changes", repo });
  const text = `Change it\n${script(write("values.txt", AFTER), say("Changed"))}`;
  await rig.client.sessions.send(id, { text });
  await rig.until(id, ({ changes, state }) => changes !== null && state === "idle");
  const page = await rig.open(`/sessions/${id}`, options);
  return { id, page, diff: await openDiff(page) };
}

async function openDiff(page: Page): Promise<Locator> {
  await transcriptOf(page).getByText("Changed", { exact: true }).waitFor();
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Files" }).click();
  await page.getByRole("button", { name: /values\.txt/u }).click();
  const diff = page.getByRole("figure", { name: "Changes in values.txt" });
  await diff.getByText("Removed: two").waitFor();
  return diff;
}

const messageBox = (page: Page): Locator =>
  page.getByRole("textbox", { name: "Message to the agent" });

it("shows a diff in one column or in two, and keeps the choice (D7)", async () => {
  const { page } = await openReview();
  // There is no room for two columns beside the transcript.
  await page.getByRole("button", { name: "Split" }).click();
  const large = page.getByRole("dialog", { name: "Changes" });
  const diff = large.getByRole("figure", { name: "Changes in values.txt" });
  await diff.getByText("Removed: two").waitFor();
  expect(await diff.locator(".diff-split").allTextContents()).toEqual([
    "1 one1 one",
    "2−Removed: two2+Added: 2",
    "3 three3 three",
    "4 four4 four",
    "5−Removed: five5+Added: 5",
    "6+Added: six",
  ]);
  expect(await faultsOf(page, "the split diff")).toEqual([]);
  await large.getByRole("button", { name: "Unified" }).click();
  await diff.locator(".diff-split").first().waitFor({ state: "detached" });
  await large.getByRole("button", { name: "Split" }).click();
  await page.reload();
  await openDiff(page);
  await page.getByRole("button", { name: "Split" }).click();
  await large.getByRole("button", { name: "Split", pressed: true }).waitFor();
});

it("collects comments on lines of a diff, and puts them into the message box to be edited and sent (D7)", async () => {
  const { id, page, diff } = await openReview();
  await messageBox(page).fill("Please look again.");
  await diff.getByRole("button", { name: "Comment on line 2", exact: true }).click();
  await diff.getByRole("textbox", { name: "Comment on line 2" }).fill("Write it out");
  await page.keyboard.press("Control+Enter");
  await diff.getByRole("article", { name: "Comment on line 2" }).waitFor();

  // Arrow keys with Shift select several lines.
  await diff.getByRole("button", { name: "Comment on line 5", exact: true }).focus();
  for (const key of ["Shift+ArrowDown", "Enter"]) await page.keyboard.press(key);
  await diff.getByRole("textbox", { name: "Comment on lines 5–6" }).fill("Remove thsi");
  await diff.getByRole("button", { name: "Add comment" }).click();
  const second = diff.getByRole("article", { name: "Comment on lines 5–6" });
  await second.getByRole("button", { name: "Edit this comment" }).click();
  await diff.getByRole("textbox", { name: "Comment on lines 5–6" }).fill("Remove this");
  await diff.getByRole("button", { name: "Save" }).click();
  await second.getByText("Remove this").waitFor();
  expect(await faultsOf(page, "comments on a diff")).toEqual([]);

  await page.reload();
  await openDiff(page);
  await page.getByRole("button", { name: "Add to message" }).click();
  await second.waitFor({ state: "detached" });
  await page.locator("textarea:focus").waitFor();
  expect(await messageBox(page).inputValue()).toBe(
    [
      "Please look again.\n",
      "`values.txt`, line 2:\n```diff\n+2\n```\nWrite it out\n",
      "`values.txt`, lines 5–6:\n```diff\n+5\n+six\n```\nRemove this",
    ].join("\n"),
  );
  await page.keyboard.type(" now");
  await page.keyboard.press("Enter");
  await rig.until(id, ({ messages }) =>
    messages.some(({ content }) => JSON.stringify(content).includes("Remove this now")),
  );
});

it("keeps a comment that is being written when its diff is folded, and removes one (D7)", async () => {
  const { page, diff } = await openReview();
  await diff.getByRole("button", { name: "Comment on removed line 2" }).click();
  await diff.getByRole("textbox", { name: "Comment on removed line 2" }).fill("Why is it gone?");
  await page.getByRole("button", { name: /values\.txt/u }).click();
  await diff.waitFor({ state: "detached" });
  await page.getByRole("button", { name: /values\.txt 1 comment/u }).click();
  const comment = diff.getByRole("article", { name: "Comment on removed line 2" });
  await comment.getByText("Why is it gone?").waitFor();
  await comment.getByRole("button", { name: "Remove this comment" }).click();
  await comment.waitFor({ state: "detached" });
  expect(await page.getByRole("button", { name: "Add to message" }).count()).toBe(0);

  // Escape gives up a comment, and leaves the panel open.
  await diff.getByRole("button", { name: "Comment on line 2", exact: true }).click();
  await diff.getByRole("textbox", { name: "Comment on line 2" }).fill("Not this");
  await page.keyboard.press("Escape");
  await diff.getByRole("textbox").waitFor({ state: "detached" });
  expect(await diff.getByRole("article").count()).toBe(0);
});

it("takes comments on a phone, where the lines are chosen in the form (D7)", async () => {
  const { page, diff } = await openReview({ phone: true, dark: true });
  await diff.getByRole("button", { name: "Comment" }).tap();
  await diff.getByLabel("To line").selectOption({ label: "3 three" });
  await diff.getByRole("textbox", { name: "Comment on lines 2–3" }).fill("Both, please");
  expect(await faultsOf(page, "a comment on a phone")).toEqual([]);
  await diff.getByRole("button", { name: "Add comment" }).tap();
  await page.getByRole("button", { name: "Add to message" }).tap();
  await page.locator("textarea:focus").waitFor();
  expect(await messageBox(page).inputValue()).toBe(
    "`values.txt`, lines 2–3:\n```diff\n+2\n three\n```\nBoth, please",
  );
});
