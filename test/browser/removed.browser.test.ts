import { mkdirSync, renameSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { holdfast } from "../e2e/holdfast-process.ts";
import { eventually } from "./eventually.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

describe("a session that cannot continue", () => {
  it("rulings 14 and 16: shows why, and when it will be removed, in the list and on its page", async () => {
    const repository = path.join(rig.root, "lost");
    mkdirSync(path.join(repository, ".git"), { recursive: true });
    const { id } = await rig.newSession({ title: "Stranded", repo: repository });
    await rig.stop("SIGTERM");
    renameSync(repository, `${repository}-away`);
    await rig.start();

    const list = await rig.open("/");
    const row = list.getByRole("listitem").filter({ hasText: "Stranded" });
    await row.getByText("Paused").waitFor();
    await row.getByText(/removed (in 6d|next wk)/u).waitFor();
    const page = await rig.open(`/sessions/${id}`, { phone: true });
    await page.getByText("This session cannot continue. Its repository cannot be used").waitFor();
    await page.getByText(/It will be removed (in 6d|next wk)/u).waitFor();

    renameSync(`${repository}-away`, repository);
    await rig.client.sessions.resume(id);
    await eventually(() => page.getByText("This session cannot continue").count()).toBe(0);
  });
});

describe("a removed session", () => {
  it("ruling 16: is listed in the settings, and restored there", async () => {
    const { id } = await rig.newSession({ title: "Come back" });
    const data = path.join(rig.root, "..", "data");
    const cleanup = ["cleanup", "--hours", "0", "--conversations", "--yes", "--data", data];
    expect(JSON.parse((await holdfast(cleanup)).stdout)).toMatchObject({ removed: 1 });

    const page = await rig.open("/settings");
    const removed = page.getByRole("region", { name: "Removed sessions" });
    await removed.getByText("Come back").waitFor();
    await removed.getByRole("button", { name: "Restore Come back" }).click();
    await page.waitForURL(`**/sessions/${id}`);
    await page.getByText("Come back").first().waitFor();
    expect((await rig.client.sessions.get(id)).status).toBe("active");
    expect((await rig.client.removed.list()).removed).toEqual([]);
  });
});
