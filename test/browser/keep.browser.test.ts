import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { newRepository, userGit } from "../../packages/server/src/git/testing/new-repository.ts";
import {
  say,
  script,
  shell,
  waitFor,
  write,
  type Step,
} from "../../packages/server/src/providers/testing/script.ts";
import { eventually } from "./eventually.ts";
import { faultsOf } from "./page-faults.ts";
import { openPageRig, type OpenOptions, type PageRig } from "./page-rig.ts";

let rig: PageRig;
let remote: string;
let repositories = 0;
beforeAll(async () => {
  rig = await openPageRig({
    prepare: async (data) => {
      remote = path.join(path.dirname(data), "remote.git");
      newRemote(remote);
      const file = path.join(data, "holdfast.config.json");
      const config: object = JSON.parse(readFileSync(file, "utf8"));
      const worktrees = {
        remote: `file://${remote}`,
        pullRequest: "echo https://example.com/pull/7",
      };
      writeFileSync(file, JSON.stringify({ ...config, worktrees }));
    },
  });
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

/** Also says that Git is needed. */
function newRemote(folder: string): void {
  newRepository(`${folder}.source`, {});
  mkdirSync(folder);
  userGit(folder, "init", "--quiet", "--bare");
}

interface Worked {
  readonly id: string;
  readonly repository: string;
  /** The folder of its worktree. */
  readonly folder: string;
  readonly branch: string;
}

/** A session in a worktree of its own that has changed a file. */
async function workedSession(...steps: readonly Step[]): Promise<Worked> {
  const repo = `keep-${(repositories += 1)}`;
  const repository = path.join(rig.root, repo);
  newRepository(repository, { "a.txt": "a\n", "b.txt": "b\n" });
  userGit(repository, "config", "user.name", "Ada");
  userGit(repository, "config", "user.email", "ada@example.com");
  const { id: repoId } = await rig.client.repos.add({ path: repo });
  const { id } = await rig.client.sessions.create({
    repoId,
    provider: "scripted",
    title: "Change a",
    workspace: "worktree",
    message: script(...(steps.length === 0 ? [write("a.txt", "changed\n")] : steps), say("Done")),
  });
  const { worktree } = await rig.until(
    id,
    ({ state, changes }) => state === "idle" && changes !== null,
  );
  return { id, repository, folder: worktree?.path ?? "", branch: worktree?.branch ?? "" };
}

async function openKeep(
  { id }: Pick<Worked, "id">,
  options: OpenOptions = {},
): Promise<{ readonly page: Page; readonly keep: Locator }> {
  const page = await rig.open(`/sessions/${id}`, options);
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Files" }).click();
  const keep = page.getByRole("region", { name: "Keep the work" });
  await keep.waitFor();
  return { page, keep };
}

const button = (place: Locator, name: string): Locator =>
  place.getByRole("button", { name, exact: true });
const mergeDialog = (page: Page): Locator => page.getByRole("dialog", { name: "Merge into main?" });

it("the work of a session is committed with an edited message, rebased and merged (D7)", async () => {
  const worked = await workedSession();
  const { repository, branch } = worked;
  const { page, keep } = await openKeep(worked);
  await keep.getByText(branch, { exact: true }).waitFor();
  await keep.getByText(/^1 file not committed\./u).waitFor();
  expect(await button(keep, "Merge into main…").isDisabled()).toBe(true);
  await button(keep, "Commit…").click();
  const message = keep.getByLabel("Commit message");
  expect(await message.inputValue()).toContain("Change a");
  await message.fill("Say it better");
  // The text outlives the panel.
  await page.keyboard.press("Escape");
  await keep.waitFor({ state: "detached" });
  await page.getByRole("button", { name: /^Panel: /u }).click();
  await button(keep, "Commit…").click();
  expect(await message.inputValue()).toBe("Say it better");
  await button(keep, "Commit").click();
  await keep.getByText(/^Committed 1 file as [0-9a-f]{12}\.$/u).waitFor();
  await keep.getByText("Everything is committed. 1 commit ahead of main.").waitFor();
  expect(userGit(repository, "log", "-1", "--format=%s", branch).trim()).toBe("Say it better");

  writeFileSync(path.join(repository, "b.txt"), "others\n");
  userGit(repository, "commit", "--quiet", "--all", "--message", "Others");
  await page.getByRole("button", { name: "Refresh" }).click();
  await button(keep, "Rebase onto main").click();
  await keep.getByText("Rebased 1 commit onto main.").waitFor();

  await button(keep, "Merge into main…").click();
  await mergeDialog(page)
    .getByText(/^1 commit of .+ goes into main\./u)
    .waitFor();
  await button(mergeDialog(page), "Cancel").click();
  await mergeDialog(page).waitFor({ state: "detached" });
  expect(readFileSync(path.join(repository, "a.txt"), "utf8")).toBe("a\n");
  await button(keep, "Merge into main…").click();
  await button(mergeDialog(page), "Merge").click();
  await keep.getByText(/^Merged into main, which is now at /u).waitFor();
  expect(readFileSync(path.join(repository, "a.txt"), "utf8")).toBe("changed\n");
  await button(keep, "Merge into main…").waitFor({ state: "detached" });
});

it("the work of a session is pushed, and its pull request stays linked (D7)", async () => {
  const worked = await workedSession();
  const { id, branch } = worked;
  const { commit } = await rig.client.sessions.commit(id);
  const { page, keep } = await openKeep(worked);
  await button(keep, "Push").click();
  await keep.getByText(/^Pushed /u).waitFor();
  expect(userGit(remote, "rev-parse", branch).trim()).toBe(commit);
  await button(keep, "Open a pull request").click();
  const link = page.getByRole("link", { name: "https://example.com/pull/7" });
  await link.waitFor();
  expect(await button(keep, "Open a pull request").count()).toBe(0);
  await page.reload();
  await page.getByRole("button", { name: branch }).click();
  expect(await link.getAttribute("href")).toBe("https://example.com/pull/7");
});

it("a refusal is shown in place, and nothing is lost (D7)", async () => {
  const worked = await workedSession();
  const { repository } = worked;
  const hook = path.join(repository, ".git", "hooks", "pre-commit");
  mkdirSync(path.dirname(hook), { recursive: true });
  writeFileSync(hook, "#!/bin/sh\necho not like this\nexit 1\n", { mode: 0o755 });
  const { page, keep } = await openKeep(worked, { expected: /(?:409|422|502) / });
  await button(keep, "Commit…").click();
  await keep.getByLabel("Commit message").fill("Mine");
  await button(keep, "Commit").click();
  const alert = keep.getByRole("alert");
  await alert.getByText("The hook pre-commit refused the commit.").waitFor();
  await alert.getByText("not like this").waitFor();
  expect(await keep.getByLabel("Commit message").inputValue()).toBe("Mine");

  writeFileSync(hook, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  await button(keep, "Commit").click();
  await keep.getByText(/^Committed 1 file/u).waitFor();
  writeFileSync(path.join(repository, "a.txt"), "others\n");
  userGit(repository, "commit", "--quiet", "--no-verify", "--all", "--message", "Others");
  await button(keep, "Merge into main…").click();
  await button(mergeDialog(page), "Merge").click();
  await alert.getByText("These files conflict with main: a.txt.").waitFor();
  await alert.getByText(/^Nothing was changed\./u).waitFor();
  expect(readFileSync(path.join(repository, "a.txt"), "utf8")).toBe("others\n");
});

it("nothing can be kept while the agent is at work, and the section says so (D7)", async () => {
  const worked = await workedSession();
  const { id, folder } = worked;
  const { keep } = await openKeep(worked);
  const gate = rig.gate();
  const text = script(shell("echo more > more.txt"), waitFor(gate), say("More"));
  await rig.client.sessions.send(id, { text });
  await keep.getByText(/^The agent is at work\./u).waitFor();
  expect(await button(keep, "Commit…").isDisabled()).toBe(true);
  await eventually(() => existsSync(path.join(folder, "more.txt"))).toBe(true);
  writeFileSync(gate, "");
  await keep.getByText(/^2 files not committed\./u).waitFor();
  expect(await button(keep, "Commit…").isEnabled()).toBe(true);
});

it("the section fits a phone and passes the accessibility rules (D7)", async () => {
  const worked = await workedSession();
  const { page, keep } = await openKeep(worked, { phone: true, dark: true });
  await button(keep, "Commit…").click();
  await keep.getByLabel("Commit message").waitFor();
  const faults = [...(await faultsOf(page, "keep"))];
  await button(keep, "Commit").click();
  await keep.getByText(/^Committed 1 file/u).waitFor();
  await button(keep, "Merge into main…").click();
  await mergeDialog(page).waitFor();
  faults.push(...(await faultsOf(page, "merge")));
  expect(faults.join("\n")).toBe("");
});
