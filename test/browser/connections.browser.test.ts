import { mkdirSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openPageRig, type PageRig } from "./page-rig.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

/** Set by hand to look at the page. */
const { SCREENSHOTS: folder } = process.env;

describe("the connections of a session", () => {
  it.each([false, true])(
    "are entered in the dialog and shown with the session, on a phone: %s (D3)",
    async (phone) => {
      const docs = path.join(rig.root, "docs");
      mkdirSync(docs, { recursive: true });
      const { repoId } = await rig.newSession({ title: "Other" });
      expect(repoId).not.toBeNull();
      const page = await rig.open("/", { phone, dark: phone, expected: /422|403/u });
      await page.getByRole("button", { name: "New session" }).first().click();
      const dialog = page.getByRole("dialog", { name: "New session" });
      await dialog.getByText("MCP servers and directories").click();
      const servers = dialog.getByLabel("MCP servers", { exact: true });
      await servers.fill('{"docs": {"type": "http"');
      await dialog.getByRole("button", { name: "Create" }).click();
      await dialog.getByText("The MCP servers must be a JSON object.").waitFor();
      const url = "https://example.com/mcp";
      const secret = { docs: { type: "http", url, headers: { Authorization: "Bearer abc" } } };
      await servers.fill(JSON.stringify(secret));
      await dialog.getByRole("button", { name: "Create" }).click();
      await dialog
        .getByText(/mcpServers\.docs\.headers\.Authorization looks like a secret/u)
        .waitFor();
      if (folder !== undefined)
        await page.screenshot({ path: path.join(folder, `dialog-${phone}.png`) });
      await servers.fill(
        JSON.stringify({
          mcpServers: {
            docs: { type: "http", url, headers: { Region: "eu" } },
            notes: { command: "notes-server", args: ["--all"] },
          },
        }),
      );
      await dialog.getByLabel("Directories").fill(docs);
      await dialog.getByRole("button", { name: "Create" }).click();
      await page.waitForURL(/\/sessions\/[^/]+$/u);
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name: "Details" }).click();
      const details = page.getByRole("dialog", { name: "Details" });
      await details.getByText("HTTP https://example.com/mcp").waitFor();
      await details.getByText("Region: eu").waitFor();
      await details.getByText("notes-server --all").waitFor();
      await details.getByText(docs).waitFor();
      if (folder !== undefined)
        await page.screenshot({ path: path.join(folder, `details-${phone}.png`) });
    },
  );
});
