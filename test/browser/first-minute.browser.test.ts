import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "./eventually.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

describe("the page of a server without sessions", () => {
  it("offers the repositories in the workspace root as buttons (A14)", async () => {
    for (const name of ["web-shop", "team/billing"])
      mkdirSync(path.join(rig.root, name, ".git"), { recursive: true });
    rmSync(path.join(rig.root, ".git"), { recursive: true });
    const page = await rig.open("/");
    const found = page.getByRole("list", { name: "Repositories in the workspace root" });
    await eventually(() => found.getByRole("button").allTextContents()).toEqual([
      "web-shop",
      "billing",
    ]);
    await found.getByRole("button", { name: "billing" }).click();
    const dialog = page.getByRole("dialog", { name: "New session" });
    const chosen = dialog.getByLabel("Repository", { exact: true }).locator("option:checked");
    await eventually(() => chosen.textContent()).toBe("billing");
    mkdirSync(path.join(rig.root, ".git"));
    for (const { id } of (await rig.client.repos.list()).repos) await rig.client.repos.remove(id);
  });

  it("lets the user choose the default agent, and shows how to get the others", async () => {
    const page = await rig.open("/", { expected: /ERR_|Failed to load/u });
    const agents = page.getByRole("radiogroup", { name: "Default agent" });
    await eventually(() => agents.getByRole("radio", { name: /Demo agent/u }).isChecked()).toBe(
      true,
    );
    await agents.getByRole("radio", { name: /Scripted/u }).check();
    await eventually(async () => (await rig.client.providers()).defaultProvider).toBe("scripted");

    await page.getByText("Set up another agent").click();
    await page.getByText("npm install -g @google/gemini-cli", { exact: true }).waitFor();
    await page.getByText(/^Run gemini once/u).waitFor();
    await page.getByRole("button", { name: "Check again" }).waitFor();

    await rig.stop("SIGTERM");
    await rig.start();
    await page.reload();
    await eventually(() => agents.getByRole("radio", { name: /Scripted/u }).isChecked()).toBe(true);
  });

  it("refuses a repository outside the workspace root with the line that changes the root (A14)", async () => {
    const page = await rig.open("/", { expected: /403 \(Forbidden\).*\/api\/repos/u });
    const step = page.getByRole("region", { name: "Repository" });
    await step.getByLabel("Add a repository").fill("/nowhere/at/all");
    await step.getByRole("button", { name: "Add", exact: true }).click();
    await eventually(() => step.getByRole("alert").textContent()).toBe(
      `"/nowhere/at/all" is outside the workspace root ${rig.root}. ` +
        "To change it: holdfast down && holdfast up --workspace-root /nowhere/at/all",
    );
    await step.getByLabel("Add a repository").fill(rig.root);
    await step.getByLabel("Add a repository").press("Enter");
    const dialog = page.getByRole("dialog", { name: "New session" });
    await eventually(() => dialog.getByLabel("Agent").inputValue()).toBe("scripted");
    expect(await dialog.getByLabel("Repository", { exact: true }).inputValue()).not.toBe("");
  });

  it("says what Holdfast is, without filters, and an example becomes the first message", async () => {
    await rig.client.repos.add({ path: rig.root });
    const page = await rig.open("/");
    await page.getByText("Holdfast runs coding agents in your repositories").waitFor();
    expect(await page.getByRole("searchbox").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Filter", exact: true }).count()).toBe(0);
    await page.getByRole("button", { name: /^Review the last commit/u }).click();
    const dialog = page.getByRole("dialog", { name: "New session" });
    await eventually(() => dialog.getByLabel("First message").inputValue()).toBe(
      "Review the last commit for mistakes.",
    );
    const agents = dialog.getByLabel("Agent", { exact: true }).getByRole("option");
    await eventually(() => agents.allTextContents()).toContain("Demo agent");
    expect((await agents.allTextContents()).join()).not.toContain("Gemini");
  });
});
