import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { comparedSession, comparisonOf } from "../../packages/protocol/src/index.ts";
import { newRepository, userGit } from "../../packages/server/src/git/testing/new-repository.ts";
import { say, script, waitFor, write } from "../../packages/server/src/providers/testing/script.ts";
import { eventually } from "./eventually.ts";
import { faultsOf } from "./page-faults.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";

let rig: PageRig;
let repositories = 0;
beforeAll(async () => {
  rig = await openPageRig({ agents: { second: { title: "Second" }, third: { title: "Third" } } });
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

async function newRepo(): Promise<{ readonly repoId: string; readonly repository: string }> {
  const repo = `compare-${(repositories += 1)}`;
  const repository = path.join(rig.root, repo);
  newRepository(repository, { "a.txt": "a\n" });
  userGit(repository, "config", "user.name", "Ada");
  userGit(repository, "config", "user.email", "ada@example.com");
  const { id: repoId } = await rig.client.repos.add({ path: repo });
  return { repoId, repository };
}

/** The sessions of a comparison, as the command line makes them. */
async function comparison(repoId: string, message: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const provider of ["scripted", "second"]) {
    const request = comparedSession({ comparison: "one", repoId, provider, message });
    ids.push((await rig.client.sessions.create(request)).id);
  }
  for (const id of ids) await rig.client.sessions.send(id, { text: message });
  for (const id of ids)
    await rig.until(id, ({ state, changes }) => state === "idle" && changes !== null);
  return ids;
}

const card = (page: Page, name: string): Locator =>
  page.getByRole("article", { name, exact: true });
const takeButton = (page: Page, name: string): Locator =>
  card(page, name).getByRole("button", { name: `Take this one: ${name}` });

it("the same message goes to the chosen agents, and their work is shown live side by side (D7)", async () => {
  const { repoId, repository } = await newRepo();
  const gate = rig.gate();
  const page = await rig.open("/");
  await page.getByRole("button", { name: "New session" }).first().click();
  const created = page.getByRole("dialog", { name: "New session" });
  await created.getByLabel("Repository", { exact: true }).selectOption(repoId);
  const wish = `Change a\n${script(waitFor(gate), write("a.txt", "better\n"), say("It is **done**"))}`;
  await created.getByLabel("First message").fill(wish);
  await created.getByRole("button", { name: "Compare agents…" }).click();
  // It takes over what was typed.
  const dialog = page.getByRole("dialog", { name: "Compare agents" });
  expect(await dialog.getByLabel("Message").inputValue()).toBe(wish);
  expect(await dialog.getByRole("button", { name: "Compare", exact: true }).isDisabled()).toBe(
    true,
  );
  await dialog.getByText("Choose at least two agents.").waitFor();
  await dialog.getByLabel("Scripted").check();
  await dialog.getByLabel("Second").check();
  await dialog.getByRole("button", { name: "Compare", exact: true }).click();

  await card(page, "Scripted").getByText("Running", { exact: true }).waitFor();
  await card(page, "Second").getByText("Running", { exact: true }).waitFor();
  expect(await takeButton(page, "Second").isDisabled()).toBe(true);
  await card(page, "Second").getByText("The agent is at work.").waitFor();
  const { sessions } = await rig.client.sessions.list({ repoId });
  expect(sessions.map(({ workspace }) => workspace)).toEqual(["worktree", "worktree"]);
  expect(new Set(sessions.map(comparisonOf)).size).toBe(1);

  writeFileSync(gate, "");
  await card(page, "Second").getByText("Done", { exact: true }).waitFor();
  await card(page, "Second").getByText("done", { exact: true }).waitFor();
  await card(page, "Second").getByText("1 file, +1 −1").waitFor();
  await card(page, "Second")
    .getByRole("button", { name: /a\.txt/u })
    .click();
  await card(page, "Second").getByText("Added: better").waitFor();
  expect(readFileSync(path.join(repository, "a.txt"), "utf8")).toBe("a\n");
});

it("the work of one session is taken, and the others are archived, not deleted (D7)", async () => {
  const { repoId, repository } = await newRepo();
  const ids = await comparison(
    repoId,
    `Change a\n${script(write("a.txt", "taken\n"), say("Done"))}`,
  );
  const [taken = "", other = ""] = ids;
  const page = await rig.open(`/sessions/${other}`);
  // A session of the command line leads to its comparison.
  await page.getByRole("link", { name: "Comparison" }).click();
  await takeButton(page, "Scripted").click();
  const dialog = page.getByRole("dialog", { name: "Take this one?" });
  await dialog.getByText(/^1 file is committed to holdfast\//u).waitFor();
  await dialog.getByText(/is merged into main\./u).waitFor();
  await dialog.getByRole("button", { name: "Commit and merge" }).click();
  const archive = page.getByRole("dialog", { name: "Archive the others?" });
  await archive.getByText(/^Merged into main/u).waitFor();
  expect(readFileSync(path.join(repository, "a.txt"), "utf8")).toBe("taken\n");
  expect((await rig.client.sessions.get(other)).status).toBe("active");
  await archive.getByRole("button", { name: "Archive 1 session" }).click();
  await archive.waitFor({ state: "detached" });
  await card(page, "Second").getByText("Archived", { exact: true }).waitFor();
  await card(page, "Scripted").getByText("main has all of this work.").waitFor();
  expect(
    await Promise.all(ids.map(async (id) => (await rig.client.sessions.get(id)).status)),
  ).toEqual(["active", "archived"]);
  await card(page, "Scripted")
    .getByRole("link", { name: /^Open the session/u })
    .click();
  await eventually(() => new URL(page.url()).pathname).toBe(`/sessions/${taken}`);
});

it("a merge that is refused says why, and the others stay (D7)", async () => {
  const { repoId, repository } = await newRepo();
  const ids = await comparison(repoId, script(write("a.txt", "agent\n"), say("Done")));
  writeFileSync(path.join(repository, "a.txt"), "others\n");
  userGit(repository, "commit", "--quiet", "--all", "--message", "Others");
  const page = await rig.open(`/compare?ids=${ids.join(",")}`, { expected: /409 / });
  await takeButton(page, "Second").click();
  const dialog = page.getByRole("dialog", { name: "Take this one?" });
  await dialog.getByRole("button", { name: "Commit and merge" }).click();
  await dialog.getByRole("alert").getByText("These files conflict with main: a.txt.").waitFor();
  // The commit is made; only the merge is left.
  await dialog.getByRole("button", { name: "Merge", exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await card(page, "Second")
    .getByText(/^Everything is committed\./u)
    .waitFor();
  expect(
    await Promise.all(ids.map(async (id) => (await rig.client.sessions.get(id)).status)),
  ).toEqual(["active", "active"]);
});

it("a comparison fits a phone and passes the accessibility rules (D7)", async () => {
  const { repoId } = await newRepo();
  const ids = await comparison(
    repoId,
    `Change ${"a-long-word".repeat(20)}\n${script(write("a.txt", "b\n"), say("# Done\n\n`code`"))}`,
  );
  const faults: string[] = [];
  for (const look of [{}, { phone: true, dark: true }]) {
    const page = await rig.open(`/compare?ids=${ids.join(",")}`, look);
    await card(page, "Second")
      .getByRole("button", { name: /a\.txt/u })
      .click();
    await card(page, "Second").getByText("Added: b").waitFor();
    faults.push(...(await faultsOf(page, "comparison")));
    await takeButton(page, "Scripted").click();
    await page.getByRole("button", { name: "Commit and merge" }).waitFor();
    faults.push(...(await faultsOf(page, "take")));
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "Compare agents" }).click();
    await page.getByRole("dialog", { name: "Compare agents" }).getByLabel("Second").waitFor();
    faults.push(...(await faultsOf(page, "compare agents")));
  }
  expect(faults.join("\n")).toBe("");
});
