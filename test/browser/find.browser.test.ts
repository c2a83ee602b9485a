import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { say, script, tool } from "../../packages/server/src/providers/testing/script.ts";
import { eventually } from "./eventually.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

describe("a search of the list", () => {
  it("shows the matching message as text, and links to it", async () => {
    const sentence = "Before it. <b>The</b> quokka sleeps under the old tree.";
    const session = await rig.newSession({ title: "Animals", steps: [say(sentence)] });
    await rig.newSession({ title: "Others" });
    await rig.until(session.id, ({ state, messages }) => state === "idle" && messages.length > 1);
    const page = await rig.open("/?q=quokk");
    const row = page.getByRole("listitem").filter({ hasText: "Animals" });
    await row.getByText(`Agent: ${sentence}`).waitFor();
    await eventually(() => page.locator("mark").allTextContents()).toEqual(["quokk"]);
    await row.getByRole("link").click();
    const { messages } = await rig.client.sessions.get(session.id);
    await page.waitForURL(`**/sessions/${session.id}#${messages.at(-1)?.id}`);
    await page.getByRole("log").getByText(sentence, { exact: true }).waitFor();
  });

  it("shows no ID of a tool call, and counts what it lists (C9)", async () => {
    const callId = "0b7c3f1e-5a52-4c8e-9d0a-6f2f6f0c9a11";
    // Escaped, so that the search does not find the script in the message of the user.
    const message = script(tool({ id: callId, title: "Look for a wombat", kind: "search" }))
      .replace("wombat", String.raw`\u0077ombat`)
      .replace(callId, String.raw`\u0030${callId.slice(1)}`);
    for (const title of ["First", "Second"]) {
      const { id } = await rig.newSession({ title, message });
      await rig.until(id, ({ state, messages }) => state === "idle" && messages.length > 1);
    }
    await rig.newSession({ title: "Other", steps: [say("Nothing of the kind.")] });
    const page = await rig.open("/?q=wombat");
    const rows = page.getByRole("list", { name: "Sessions" }).getByRole("listitem");
    await eventually(() => page.locator("mark").count()).toBe(2);
    expect(await rows.count()).toBe(2);
    await page.getByRole("button", { name: "All 2", exact: true }).waitFor();
    expect(await page.locator("main").innerText()).not.toMatch(/[\da-f]{8}-[\da-f]{4}/u);
    await page.goto(`/?q=${callId}`);
    await page.getByText("No matching sessions").waitFor();
  });

  it("by provider is done by the server and is part of the address", async () => {
    await rig.newSession({ title: "By the demo", provider: "demo" });
    await rig.newSession({ title: "By the script" });
    const page = await rig.open("/");
    await page.getByText("By the demo").waitFor();
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    const request = page.waitForRequest((sent) => sent.url().includes("provider=scripted"));
    await page.getByLabel("Agent", { exact: true }).selectOption("scripted");
    await request;
    await page.getByText("By the demo").waitFor({ state: "detached" });
    await page.getByText("By the script").waitFor();
    expect(new URL(page.url()).searchParams.get("provider")).toBe("scripted");
  });
});

describe("a file that is named in a message", () => {
  function put(repo: string, ...files: readonly string[]): void {
    for (const file of files) {
      mkdirSync(path.dirname(path.join(rig.root, repo, file)), { recursive: true });
      writeFileSync(path.join(rig.root, repo, file), "");
    }
  }

  it.each([{ phone: false }, { phone: true }])(
    "is chosen from a list, phone: $phone",
    async (on) => {
      put(
        "shop",
        ".git/config",
        "src/basket.ts",
        "src/basket.test.ts",
        "docs/my notes.md",
        "README.md",
      );
      const session = await rig.newSession({ title: "Shop", repo: "shop" });
      const page = await rig.open(`/sessions/${session.id}`, on);
      const box = page.getByLabel("Message to the agent");
      const files = page.getByRole("listbox", { name: "Files in the repository" });
      const options = () => files.getByRole("option").allTextContents();
      await box.click();
      await box.pressSequentially("Look at @bask");
      await eventually(options).toEqual(["src/basket.ts", "src/basket.test.ts"]);
      await box.press("ArrowDown");
      await eventually(() => box.getAttribute("aria-activedescendant")).toBe(
        await files.getByRole("option", { selected: true }).getAttribute("id"),
      );
      await box.press("Enter");
      await files.waitFor({ state: "detached" });
      await eventually(() => box.inputValue()).toBe("Look at @src/basket.test.ts ");
      await box.pressSequentially("and @note");
      await eventually(options).toEqual(["docs/my notes.md"]);
      await files.getByRole("option").first().click();
      await eventually(() => box.inputValue()).toBe(
        'Look at @src/basket.test.ts and @"docs/my notes.md" ',
      );
      await box.pressSequentially("@rea");
      await eventually(options).toEqual(["README.md"]);
      await box.press("Escape");
      await files.waitFor({ state: "detached" });
      await eventually(() => box.inputValue()).toContain("@rea");
    },
  );

  it("is searched again if a slow disk cut the search before the first match", async () => {
    // Not the repository of other tests: the server caches its files.
    put("mill", ".git/config", "src/wheel.ts");
    const session = await rig.newSession({ title: "Mill", repo: "mill" });
    const page = await rig.open(`/sessions/${session.id}`);
    const cut = { files: [], truncated: true };
    await page.route("**/files?*", (route) => route.fulfill({ json: cut }), { times: 1 });
    const box = page.getByLabel("Message to the agent");
    await box.click();
    await box.fill("Look at @wheel");
    const files = page.getByRole("listbox", { name: "Files in the repository" });
    await eventually(() => files.getByRole("option").allTextContents()).toEqual(["src/wheel.ts"]);
  });
});
