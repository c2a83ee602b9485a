import { randomUUID } from "node:crypto";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { say } from "../../packages/server/src/providers/testing/script.ts";
import { Cluster } from "../cluster/cluster.ts";
import { eventually } from "./eventually.ts";
import { faultsOf } from "./page-faults.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";
import { signInPage } from "./sign-in-page.ts";
import { transcriptOf } from "./transcript-page.ts";

const credentials = path.join(tmpdir(), `holdfast-rooms-${randomUUID()}`);

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig({
    agents: {
      locked: {
        title: "Locked agent",
        auth: {
          methods: [{ id: "device", name: "Device code" }],
          accepts: "device",
          file: credentials,
          page: {
            url: "https://login.example.org/device",
            message: "Sign in and enter this code: WDJB-MJHT",
            waits: true,
          },
          reportsStatus: true,
        },
      },
    },
  });
});
afterEach(async () => {
  rmSync(credentials, { force: true });
  await rig.clear();
});
afterAll(() => rig.close());

it("imports a session from a file that is chosen or dropped, and says why it takes no other (C9)", async () => {
  const { id } = await rig.newSession({ title: "Travels", steps: [say("Packed.")] });
  await rig.until(id, ({ state, messages }) => state === "idle" && messages.length > 1);
  let bundle = "";
  for await (const line of rig.client.sessions.export(id)) bundle += `${line}\n`;
  await rig.client.sessions.delete(id);

  const page = await rig.open("/settings", { expected: /status of 4\d\d/u });
  const section = page.getByRole("region", { name: "Import a session" });
  await section.getByLabel("Bundle of a session").setInputFiles({
    name: "other.jsonl",
    mimeType: "application/jsonl",
    buffer: Buffer.from("no bundle\n"),
  });
  await section.getByRole("alert").waitFor();
  expect(await faultsOf(page, "the settings")).toEqual([]);

  // A file that is dropped.
  const dropped = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "travels.jsonl"));
    return data;
  }, bundle);
  const place = section.getByText("or drop it here");
  await place.dispatchEvent("dragover", { dataTransfer: dropped });
  await place.dispatchEvent("drop", { dataTransfer: dropped });
  await page.waitForURL(/\/sessions\/[^/]+$/u);
  await transcriptOf(page).getByText("Packed.", { exact: true }).waitFor();
});

it("changes the MCP servers and directories of a session (D3)", async () => {
  const { id } = await rig.newSession({ title: "Connected" });
  const page = await rig.open(`/sessions/${id}`, { expected: /status of 4\d\d/u });
  const open = async (): Promise<void> => {
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "MCP servers…" }).click();
  };
  await open();
  const dialog = page.getByRole("dialog", { name: "MCP servers and directories" });
  const servers = dialog.getByLabel("MCP servers", { exact: true });
  await servers.fill("{");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("The MCP servers must be a JSON object.").waitFor();
  expect(await faultsOf(page, "the connections of a session")).toEqual([]);
  await servers.fill('{"notes": {"command": "notes-server", "args": ["--all"]}}');
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await rig.until(id, ({ mcpServers }) => "notes" in mcpServers);

  await open();
  expect(JSON.parse(await servers.inputValue())).toEqual({
    notes: { type: "stdio", command: "notes-server", args: ["--all"] },
  });
  await servers.fill("");
  await dialog.getByRole("button", { name: "Save" }).click();
  await rig.until(id, ({ mcpServers }) => Object.keys(mcpServers).length === 0);
});

it("logs an agent out and in again in the settings (D1)", async () => {
  writeFileSync(credentials, "");
  const { id } = await rig.newSession({ provider: "locked", steps: [say("Inside.")] });
  await rig.until(id, ({ state, messages }) => state === "idle" && messages.length > 1);
  const page = await rig.open("/settings");
  await page.getByRole("button", { name: "Log out of Locked agent" }).click();
  await eventually(async () => existsSync(credentials)).toBe(false);
  const logIn = page.getByRole("button", { name: "Log in to Locked agent" });
  await logIn.click();
  await page.getByRole("button", { name: "Device code" }).click();
  await page.getByText("WDJB-MJHT", { exact: true }).waitFor();
  expect(await faultsOf(page, "a login in the settings")).toEqual([]);
  writeFileSync(credentials, "");
  await page.getByText("Logged in: Scripted Plus (ada@example.org)").waitFor();
  await logIn.waitFor({ state: "detached" });
});

it("lists the nodes of a cluster, drains one and lets it take work again (C9)", async () => {
  const cluster = await Cluster.open({ nodes: 2, leaseMs: 4_000 });
  try {
    const [first, second] = cluster.nodes;
    if (first === undefined || second === undefined) throw new Error("no nodes");
    const names = async (): Promise<readonly boolean[]> =>
      (await first.client.nodes.list()).nodes.map(({ draining }) => draining);
    await eventually(names).toEqual([false, false]);
    const page = await rig.open("/settings", { at: first.url, signIn: false, expected: /401/u });
    await signInPage(page, { url: first.url, code: await first.client.signInCode() });
    await page.goto(`${first.url}/settings`);
    const nodes = page.getByRole("region", { name: "Nodes" });
    const drain = nodes.getByRole("button", { name: /^Drain/u });
    await drain.nth(1).click();
    await nodes.getByText("Drained").waitFor();
    expect(await names()).toEqual([false, true]);
    expect(await faultsOf(page, "the nodes")).toEqual([]);
    await nodes.getByRole("button", { name: /take work again$/u }).click();
    await eventually(names).toEqual([false, false]);
    await page.goto("about:blank");
  } finally {
    await cluster.close();
  }
});
