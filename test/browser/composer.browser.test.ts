import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { say, silent, waitFor } from "../../packages/server/src/providers/testing/script.ts";
import { eventually } from "./eventually.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";
import { transcriptOf } from "./transcript-page.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

const box = (page: Page) => page.getByLabel("Message to the agent");

describe("the queue", () => {
  it("can be viewed, edited, reordered and emptied (C6)", async () => {
    const gate = rig.gate();
    const { id } = await rig.newSession({ steps: [say("busy"), waitFor(gate)] });
    const page = await rig.open(`/sessions/${id}`);
    await page.getByText("Queues behind the current run").waitFor();
    for (const text of ["first in line", "second in line", "third in line"]) {
      await box(page).fill(text);
      await page.keyboard.press("Enter");
      await queue(page).filter({ hasText: text }).waitFor();
    }
    await queue(page).nth(1).getByRole("button", { name: "Remove from the queue" }).click();
    await eventually(() => queuedTexts(page)).toEqual(["first in line", "third in line"]);
    await queue(page).nth(1).getByRole("button", { name: "Move up" }).click();
    await eventually(() => queuedTexts(page)).toEqual(["third in line", "first in line"]);
    await queue(page).nth(0).getByRole("button", { name: "Edit message" }).click();
    await page.getByLabel("Message in the queue").fill("changed in line");
    await page.getByRole("button", { name: "Save change" }).click();
    await eventually(() => queuedTexts(page)).toEqual(["changed in line", "first in line"]);
    const { queue: stored } = await rig.client.sessions.queue(id);
    expect(stored.map(({ content }) => content["text"])).toEqual([
      "changed in line",
      "first in line",
    ]);
    writeFileSync(gate, "");
    await transcriptOf(page).getByText("echo: changed in line").waitFor();
    await transcriptOf(page).getByText("echo: first in line").waitFor();
    await queue(page).first().waitFor({ state: "detached" });
  });

  it("is overtaken by a message that interrupts (C6)", async () => {
    const { id } = await rig.newSession({ steps: [say("busy"), silent()] });
    const page = await rig.open(`/sessions/${id}`);
    await page.getByText("Queues behind the current run").waitFor();
    await box(page).fill("now, please");
    await page.getByRole("button", { name: "Interrupt and send" }).waitFor();
    await page.keyboard.press("Control+Enter");
    await transcriptOf(page).getByText("echo: now, please").waitFor();
  });
});

describe("a message", () => {
  it("goes to the chosen agent, and so does the next one (C2, C9)", async () => {
    const { id } = await rig.newSession({ steps: [say("scripted was here")] });
    await rig.until(id, ({ state, queued }) => state === "idle" && queued === 0);
    const page = await rig.open(`/sessions/${id}`);
    const agent = page.getByRole("button", { name: /^Agent of the next message: / });
    await agent.click();
    await page.getByRole("radio", { name: "Demo agent" }).check();
    await page.keyboard.press("Escape");
    await page.getByText(/Switches from Scripted to Demo agent/u).waitFor();
    await box(page).fill("remember the door is blue");
    await page.keyboard.press("Enter");
    await transcriptOf(page).getByText("Demo agent").first().waitFor();
    await rig.until(id, ({ state, queued, messages }) => {
      return state === "idle" && queued === 0 && messages.length >= 4;
    });
    await eventually(() => agent.textContent()).toMatch(/^Demo agent/u);
    await box(page).fill("what did I tell you?");
    await page.keyboard.press("Enter");
    await transcriptOf(page).getByRole("listitem").getByText("the door is blue").first().waitFor();
  });

  it("survives a reload as a draft, which is removed when it is sent", async () => {
    const { id } = await rig.newSession();
    const page = await rig.open(`/sessions/${id}`);
    await box(page).fill("half a thought");
    await page.reload();
    await eventually(() => box(page).inputValue()).toBe("half a thought");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await transcriptOf(page).getByText("half a thought", { exact: true }).waitFor();
    await page.reload();
    await transcriptOf(page).getByText("half a thought", { exact: true }).waitFor();
    await eventually(() => box(page).inputValue()).toBe("");
  });

  it("is not sent by the Enter that ends the composition of a character", async () => {
    const { id } = await rig.newSession();
    const page = await rig.open(`/sessions/${id}`);
    await box(page).click();
    const keyboard = await page.context().newCDPSession(page);
    await keyboard.send("Input.imeSetComposition", {
      text: "にほん",
      selectionStart: 3,
      selectionEnd: 3,
    });
    // During a composition, an input method passes on key code 229.
    await keyboard.send("Input.dispatchKeyEvent", {
      type: "rawKeyDown",
      key: "Enter",
      code: "Enter",
      windowsVirtualKeyCode: 229,
    });
    await keyboard.send("Input.insertText", { text: "日本" });
    expect(await box(page).inputValue()).toBe("日本");
    expect((await rig.client.sessions.get(id)).messages).toEqual([]);
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("line two");
    await page.keyboard.press("Enter");
    await eventually(
      async () => (await rig.client.sessions.get(id)).messages[0]?.content["text"],
    ).toBe("日本\nline two");
  });

  it("that has no answer stays visible, and is sent once by itself when the server is back (C6)", async () => {
    const { id } = await rig.newSession();
    const page = await rig.open(`/sessions/${id}`, { expected: /ERR_|Failed to load/u });
    await box(page).waitFor();
    await page.context().setOffline(true);
    await box(page).fill("into the void");
    await page.keyboard.press("Enter");
    const unsent = page.getByRole("list", { name: "Not sent yet" });
    await unsent.getByText(/The server does not answer/u).waitFor();
    await page.context().setOffline(false);
    await transcriptOf(page).getByText("into the void", { exact: true }).waitFor();
    await unsent.waitFor({ state: "detached" });
    const { messages } = await rig.client.sessions.get(id);
    expect(messages.filter(({ role }) => role === "user")).toHaveLength(1);
  });
});

describe("a session that accepts no messages", () => {
  it("says why, and offers a fork (C9)", async () => {
    const { id } = await rig.newSession({ title: "Put away" });
    await rig.client.sessions.archive(id);
    const page = await rig.open(`/sessions/${id}`);
    await page.getByText("This session is archived. It accepts no messages.").waitFor();
    expect(await box(page).count()).toBe(0);
    await page.getByRole("button", { name: /fork/iu }).click();
    await page.waitForURL(
      (url) => url.pathname.startsWith("/sessions/") && !url.pathname.includes(id),
    );
    await box(page).waitFor();
  });

  it("offers to resume with the next message if its repository was missing at a start (C1, C9)", async () => {
    const repository = path.join(rig.root, "away");
    mkdirSync(path.join(repository, ".git"), { recursive: true });
    const { id } = await rig.newSession({ repo: repository });
    await rig.stop("SIGTERM");
    renameSync(repository, `${repository}-for-now`);
    await rig.start();
    renameSync(`${repository}-for-now`, repository);
    const page = await rig.open(`/sessions/${id}`);
    await page.getByText("Sending resumes this session").waitFor();
    await page.locator("main header").first().getByText("Paused", { exact: true }).waitFor();
    await box(page).fill("go on");
    await page.keyboard.press("Enter");
    await transcriptOf(page).getByText("echo: go on").waitFor();
    await page.locator("main header").first().getByText("Done", { exact: true }).waitFor();
  });
});

function queue(page: Page) {
  return page.getByRole("region", { name: "Queue" }).getByRole("listitem");
}

async function queuedTexts(page: Page): Promise<readonly string[]> {
  const texts = await queue(page).locator("p").allTextContents();
  return texts.map((text) => text.trim());
}
