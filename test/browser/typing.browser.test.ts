import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ask, say, silent, waitFor } from "../../packages/server/src/providers/testing/script.ts";
import { eventually } from "./eventually.ts";
import { faultsOf } from "./page-faults.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";
import { transcriptOf } from "./transcript-page.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig({
    agents: { seeing: { title: "Seeing", capabilities: { image: true } } },
    prepare: async (data) => {
      const file = path.join(data, "holdfast.config.json");
      const config: unknown = JSON.parse(readFileSync(file, "utf8"));
      writeFileSync(file, JSON.stringify(Object.assign({}, config, { limits: { liveAgents: 1 } })));
    },
  });
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

const box = (page: Page): Locator => page.getByLabel("Message to the agent");
const chips = (page: Page): Locator =>
  page.getByRole("list", { name: "Attachments" }).getByRole("listitem");

describe("typing in an open session", () => {
  it("goes into the message box, which has the focus at once, and opens nothing (C9)", async () => {
    const { id } = await rig.newSession({ steps: [say("Hello there")] });
    const page = await rig.open(`/sessions/${id}`);
    await eventually(() => box(page).evaluate(hasFocus)).toBe(true);
    await page.keyboard.type("can you fix");
    expect(await box(page).inputValue()).toBe("can you fix");
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  it("reaches the message box from anywhere in the session, and letters are no shortcuts (C9)", async () => {
    const { id } = await rig.newSession({ steps: [say("Hello there")] });
    const page = await rig.open(`/sessions/${id}`);
    await transcriptOf(page).getByText("Hello there", { exact: true }).click();
    await eventually(() => box(page).evaluate(hasFocus)).toBe(false);
    await page.keyboard.type("g so on 1");
    await eventually(() => box(page).inputValue()).toBe("g so on 1");
    await page.getByRole("button", { name: "More", exact: true }).focus();
    await page.keyboard.type("c");
    await eventually(() => box(page).inputValue()).toBe("g so on 1c");
    // Esc leaves the box; ? and other signs are shortcuts then.
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  });

  it("leaves the digits to an open request (C3, C9)", async () => {
    const { id } = await rig.newSession({ steps: [ask({ id: "t", title: "npm publish" })] });
    await rig.until(id, ({ state }) => state === "suspended");
    const page = await rig.open(`/sessions/${id}`);
    const allow = page.getByRole("region", { name: "npm publish" }).getByRole("button").first();
    await eventually(() => allow.getAttribute("aria-disabled")).toBe("false");
    expect(await box(page).evaluate(hasFocus)).toBe(false);
    await page.keyboard.press("1");
    await transcriptOf(page).getByText("answer: allow").waitFor();
    expect(await box(page).inputValue()).toBe("");
  });

  it("gives way to a request that comes while the box is empty, and comes back after the answer (C3, C9)", async () => {
    const go = rig.gate();
    const { id } = await rig.newSession({
      steps: [say("I look first."), waitFor(go), ask({ id: "t", title: "npm publish" })],
    });
    const page = await rig.open(`/sessions/${id}`);
    await transcriptOf(page).getByText("I look first.", { exact: true }).waitFor();
    await eventually(() => box(page).evaluate(hasFocus)).toBe(true);
    writeFileSync(go, "");
    const allow = page.getByRole("region", { name: "npm publish" }).getByRole("button").first();
    await eventually(() => allow.getAttribute("aria-disabled")).toBe("false");
    await page.keyboard.press("1");
    await transcriptOf(page).getByText("answer: allow").waitFor();
    expect(await box(page).inputValue()).toBe("");
    await eventually(() => box(page).evaluate(hasFocus)).toBe(true);
  });

  it("keeps the digits of a message that is being written (C3, C9)", async () => {
    const go = rig.gate();
    const { id } = await rig.newSession({
      steps: [say("I look first."), waitFor(go), ask({ id: "t", title: "npm publish" })],
    });
    const page = await rig.open(`/sessions/${id}`);
    await transcriptOf(page).getByText("I look first.", { exact: true }).waitFor();
    await box(page).fill("version ");
    writeFileSync(go, "");
    const allow = page.getByRole("region", { name: "npm publish" }).getByRole("button").first();
    await eventually(() => allow.getAttribute("aria-disabled")).toBe("false");
    await page.keyboard.type("12");
    expect(await box(page).inputValue()).toBe("version 12");
    expect(await rig.client.sessions.get(id)).toMatchObject({ state: "suspended" });
  });

  it("does not open the keyboard of a phone (C9)", async () => {
    const { id } = await rig.newSession({ steps: [say("Hello there")] });
    const page = await rig.open(`/sessions/${id}`, { phone: true });
    await transcriptOf(page).getByText("Hello there", { exact: true }).waitFor();
    await box(page).waitFor();
    expect(await box(page).evaluate(hasFocus)).toBe(false);
  });
});

describe("an image", () => {
  it("is pasted, scaled down if it is large, shown with the message and given to the agent (C9)", async () => {
    const { id } = await rig.newSession({ provider: "seeing", steps: [say("Ready")] });
    const page = await rig.open(`/sessions/${id}`);
    await transcriptOf(page).getByText("Ready", { exact: true }).waitFor();
    await box(page).evaluate(pasteNoise);
    await chips(page).getByText("noise.png").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    // It survives a reload, as the words do.
    await box(page).fill("What is this?");
    await page.reload();
    await chips(page).getByText("noise.png").waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const message = transcriptOf(page).getByRole("article", { name: "You" }).last();
    await message.getByRole("img", { name: "noise.png" }).waitFor();
    await message.getByText("What is this?").waitFor();
    await eventually(() => chips(page).count()).toBe(0);
    const { messages } = await rig.client.sessions.get(id);
    const parts = messages.findLast(({ role }) => role === "user")?.content["parts"];
    expect(parts).toMatchObject([
      { type: "text", text: "What is this?" },
      { type: "image", name: "noise.png", mimeType: "image/jpeg" },
    ]);
  });

  it("is dropped anywhere on the session, which says so while it is dragged, and sent (C9)", async () => {
    const { id } = await rig.newSession({ provider: "seeing", steps: [say("Ready")] });
    const page = await rig.open(`/sessions/${id}`);
    const ready = transcriptOf(page).getByText("Ready", { exact: true });
    await ready.waitFor();
    const dataTransfer = await page.evaluateHandle((base64) => {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], "dot.gif", { type: "image/gif" }));
      return data;
    }, DOT.toString("base64"));
    await ready.dispatchEvent("dragover", { dataTransfer });
    await page.getByPlaceholder("Drop to attach").waitFor();
    await ready.dispatchEvent("drop", { dataTransfer });
    await chips(page).getByText("dot.gif").waitFor();
    await page.getByPlaceholder("Drop to attach").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const message = transcriptOf(page).getByRole("article", { name: "You" }).last();
    await message.getByRole("img", { name: "dot.gif" }).waitFor();
  });

  it("is picked and removed, and the page says before that the agent takes none (C9)", async () => {
    const { id } = await rig.newSession({ steps: [say("Ready")] });
    await rig.until(id, ({ state, messages }) => state === "idle" && messages.length > 1);
    for (const options of [{}, { phone: true, dark: true }]) {
      const page = await rig.open(`/sessions/${id}`, options);
      await page.getByLabel("Files to attach").setInputFiles([
        { name: "dot.gif", mimeType: "image/gif", buffer: DOT },
        { name: "log.txt", mimeType: "text/plain", buffer: Buffer.from("a line") },
      ]);
      await chips(page).getByText("log.txt").waitFor();
      await page.getByText("Scripted does not take images.").waitFor();
      expect(await faultsOf(page, "attachments")).toEqual([]);
      await page.getByRole("button", { name: "Remove dot.gif" }).click();
      await eventually(() => chips(page).count()).toBe(1);
      await page.getByRole("alert").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Remove log.txt" }).click();
    }
  });

  it("that is no image, or a file that is too large, is refused with the reason (C9)", async () => {
    const { id } = await rig.newSession();
    const page = await rig.open(`/sessions/${id}`);
    const picker = page.getByLabel("Files to attach");
    await picker.setInputFiles({
      name: "big.log",
      mimeType: "text/plain",
      buffer: Buffer.alloc(300_000, "x"),
    });
    await page.getByText(/big\.log is larger than 200 kB/u).waitFor();
    await picker.setInputFiles({
      name: "program",
      mimeType: "application/octet-stream",
      buffer: Buffer.from([0, 1, 2]),
    });
    await page.getByText("program is neither an image nor text.").waitFor();
    expect(await chips(page).count()).toBe(0);
  });
});

describe("a server that is away", () => {
  it("leaves no green status, and gets the unsent message once when it is back (C6, C9)", async () => {
    const gate = rig.gate();
    const { id } = await rig.newSession({ steps: [say("At work"), waitFor(gate), say(" done")] });
    const page = await rig.open(`/sessions/${id}`, { expected: /ERR_|Failed to load/u });
    await transcriptOf(page).getByText("At work", { exact: true }).waitFor();
    const header = page.locator("main header").first();
    await header.getByText("Running", { exact: true }).waitFor();
    await rig.stop("SIGKILL");
    await header.getByText("Not connected", { exact: true }).waitFor();
    expect(await header.getByText("Running", { exact: true }).count()).toBe(0);
    await box(page).fill("sent while away");
    await page.keyboard.press("Enter");
    const unsent = page.getByRole("list", { name: "Not sent yet" });
    await unsent.getByText(/The server does not answer/u).waitFor();
    await rig.start();
    await unsent.waitFor({ state: "detached" });
    writeFileSync(gate, "");
    await transcriptOf(page).getByText("echo: sent while away").waitFor();
    const { messages } = await rig.client.sessions.get(id);
    const sent = messages.filter(({ content }) => content["text"] === "sent while away");
    expect(sent).toHaveLength(1);
  });
});

it("an empty archived session says one thing (C9)", async () => {
  const { id } = await rig.newSession({ title: "Never used" });
  await rig.client.sessions.archive(id);
  const page = await rig.open(`/sessions/${id}`);
  await page.getByText("This session is archived. It accepts no messages.").waitFor();
  expect(await page.getByText(/The first message starts/u).count()).toBe(0);
});

it("a new session whose first message finds all agents busy has it in its queue (A11, C6)", async () => {
  const { id: busy } = await rig.newSession({ title: "Busy", steps: [say("At work"), silent()] });
  await rig.until(busy, ({ state }) => state === "running");
  const page = await rig.open("/", { expected: /429/u });
  await page.getByRole("list", { name: "Sessions" }).first().waitFor();
  await page.keyboard.press("c");
  const dialog = page.getByRole("dialog", { name: "New session" });
  await dialog.getByLabel("Agent", { exact: true }).selectOption("scripted");
  await dialog.getByLabel("First message").fill("wait for your turn");
  await dialog.getByRole("button", { name: "Create and send" }).click();
  await page.waitForURL(/\/sessions\//u);
  await page.getByRole("region", { name: "Queue" }).getByText("wait for your turn").waitFor();
  await page.locator("main header").first().getByText("Queued", { exact: true }).waitFor();
  await rig.client.sessions.cancel(busy);
  await transcriptOf(page).getByText("echo: wait for your turn").waitFor();
});

const DOT = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

function hasFocus(element: Element): boolean {
  return element === document.activeElement;
}

/** Pastes an image that is too large for a message: noise cannot be compressed. */
async function pasteNoise(element: Element): Promise<void> {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 700;
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("no canvas");
  const pixels = context.createImageData(700, 700);
  for (let at = 0; at < pixels.data.length; at += 65_536)
    crypto.getRandomValues(pixels.data.subarray(at, at + 65_536));
  context.putImageData(pixels, 0, 0);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (blob === null) throw new Error("no image");
  const clipboardData = new DataTransfer();
  clipboardData.items.add(new File([blob], "noise.png", { type: "image/png" }));
  element.dispatchEvent(
    new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
  );
}
