import { writeFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { WholeSession } from "../../packages/protocol/src/index.ts";
import { flood, say, silent, waitFor } from "../../packages/server/src/providers/testing/script.ts";
import { eventually } from "./eventually.ts";
import { openPageFront } from "./page-front.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";
import { anchorIn, distanceFromEnd, transcriptOf } from "./transcript-page.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

describe("a session's page", () => {
  it("shows an answer while it streams, and the session's state (C7, C9)", async () => {
    const gate = rig.gate();
    const { id } = await rig.newSession({ title: "Streams" });
    const page = await rig.open(`/sessions/${id}`);
    await page.locator("main header").first().getByText("New", { exact: true }).waitFor();
    expect(await stopButton(page).count()).toBe(0);
    await page
      .getByLabel("Message to the agent")
      .fill(
        `@say {"text":"first half, "}\n@wait-for {"file":"${gate}"}\n@say {"text":"second half"}`,
      );
    await page.keyboard.press("Enter");
    await transcriptOf(page).getByText("first half,").last().waitFor();
    await page.locator("main header").first().getByText("Running", { exact: true }).waitFor();
    await stopButton(page).waitFor();
    writeFileSync(gate, "");
    await transcriptOf(page).getByText("first half, second half", { exact: true }).waitFor();
    await page.locator("main header").first().getByText("Done", { exact: true }).waitFor();
    await eventually(() => page.getByLabel("Message to the agent").inputValue()).toBe("");
  });

  it("never moves the text being read, and offers a way back to the newest", async () => {
    const gate = rig.gate();
    const { id } = await rig.newSession({
      steps: [
        say(paragraphs(80)),
        waitFor(gate),
        flood({ text: "more words.\n\n", perSecond: 60, seconds: 2 }),
      ],
    });
    await rig.until(id, (whole) => answerOf(whole).includes("paragraph 79"));
    const page = await rig.open(`/sessions/${id}`);
    await transcriptOf(page).getByText("This is paragraph 79.", { exact: true }).waitFor();
    await scrollingStopped(page);
    await transcriptOf(page).hover();
    await page.mouse.wheel(0, -1_500);
    await eventually(() => distanceFromEnd(page)).toBeGreaterThan(400);
    await page.getByRole("button", { name: /^Jump to latest/u }).waitFor();
    await scrollingStopped(page);
    const anchor = await anchorIn(page);
    const before = await anchor.top();
    const below = await distanceFromEnd(page);
    writeFileSync(gate, "");
    const tops: Promise<number>[] = [];
    await rig.until(id, ({ state }) => {
      tops.push(anchor.top());
      return state === "idle";
    });
    tops.push(anchor.top());
    const drifts = (await Promise.all(tops)).map((top) => Math.abs(top - before));
    expect(Math.max(...drifts)).toBeLessThanOrEqual(1);
    await eventually(() => distanceFromEnd(page)).toBeGreaterThan(below + 1_000);
    expect(Math.abs((await anchor.top()) - before)).toBeLessThanOrEqual(1);
    await page.getByRole("button", { name: /^Jump to latest/u }).click();
    await eventually(() => distanceFromEnd(page)).toBeLessThanOrEqual(24);
    await transcriptOf(page).getByText("more words.").last().waitFor();
    await page.getByRole("button", { name: /^Jump to latest/u }).waitFor({ state: "detached" });
  });

  it("stops only while a run is active, and asks first (A16, C9)", async () => {
    const { id } = await rig.newSession({ steps: [say("at work"), silent()] });
    const page = await rig.open(`/sessions/${id}`);
    await transcriptOf(page).getByText("at work", { exact: true }).waitFor();
    await stopButton(page).click();
    const dialog = page.getByRole("dialog", { name: "Stop this run?" });
    await dialog.getByRole("button", { name: "Keep running" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await rig.client.sessions.get(id)).toMatchObject({ state: "running" });
    await stopButton(page).click();
    await dialog.getByRole("button", { name: "Stop", exact: true }).click();
    await page.locator("main header").first().getByText("Stopped", { exact: true }).waitFor();
    await stopButton(page).waitFor({ state: "detached" });
    await rig.until(id, ({ state }) => state === "idle");
  });
});

describe("a connection that breaks repeatedly", () => {
  it("delivers every word of an answer once (C7)", async () => {
    const [begin, gate] = [rig.gate(), rig.gate()];
    const front = await openPageFront(rig.url);
    try {
      const { id } = await rig.newSession({
        steps: [
          say("It begins: "),
          waitFor(begin),
          flood({ text: "word ", perSecond: 80, seconds: 2.5 }),
          say("all said"),
          waitFor(gate),
        ],
      });
      const expected = /ERR_|Failed to load/u;
      const page = await rig.open(`/sessions/${id}`, { at: front.url, signIn: true, expected });
      await fullyLoaded(page);
      writeFileSync(begin, "");
      for (const words of [10, 50, 90]) {
        await eventually(() => wordsShown(page)).toBeGreaterThan(words);
        front.cut();
      }
      // The message is not complete yet, so no complete message has replaced missing words.
      await transcriptOf(page)
        .getByRole("article", { name: "Agent" })
        .getByText("all said")
        .waitFor();
      expect(await wordsShown(page)).toBe(200);
      expect(await rig.client.sessions.get(id)).toMatchObject({ state: "running" });
      writeFileSync(gate, "");
      await page.locator("main header").first().getByText("Done", { exact: true }).waitFor();
      expect(await wordsShown(page)).toBe(200);
    } finally {
      await front.close();
    }
  });
});

describe("a server that is killed in the middle of an answer", () => {
  it("leaves the open page waiting; after a restart the answer goes on with every word once, without a reload (C5, C7, D4)", async () => {
    const gate = rig.gate();
    const { id } = await rig.newSession({
      title: "Survives",
      steps: [flood({ text: "word ", perSecond: 50, seconds: 6 }), waitFor(gate), say("all said")],
    });
    const page = await rig.open(`/sessions/${id}`, { expected: /ERR_|Failed to load/u });
    await page.evaluate(() => Object.assign(globalThis, { sameDocument: true }));
    await fullyLoaded(page);
    await eventually(() => wordsShown(page)).toBeGreaterThan(40);
    await rig.stop("SIGKILL");
    await page.getByText(/^Reconnecting\. This page/u).waitFor();
    await page.getByLabel("Message to the agent").fill("kept while away");
    await rig.start();
    await page.getByText(/^Reconnecting\. This page/u).waitFor({ state: "detached" });

    await eventually(() => wordsShown(page)).toBe(300);
    await page.locator("main header").first().getByText("Running", { exact: true }).waitFor();
    writeFileSync(gate, "");
    await transcriptOf(page).getByText("all said").last().waitFor();
    await page.locator("main header").first().getByText("Done", { exact: true }).waitFor();
    expect(await wordsShown(page)).toBe(300);
    const stored = await rig.client.sessions.get(id);
    expect(answerOf(stored)).toBe(`${"word ".repeat(300)}all said`);
    expect(stored.messages.filter(({ role }) => role === "system")).toEqual([]);
    const { runs } = await rig.client.sessions.runs(id);
    expect(runs.map(({ status }) => status)).toEqual(["completed"]);
    expect(await page.evaluate(() => "sameDocument" in globalThis)).toBe(true);
    expect(await page.getByLabel("Message to the agent").inputValue()).toBe("kept while away");

    await page.getByLabel("Message to the agent").fill('@say {"text":"it goes on"}');
    await page.keyboard.press("Enter");
    await transcriptOf(page).getByText("it goes on", { exact: true }).waitFor();
  });
});

describe("a server that is stopped in the middle of an answer", () => {
  it("leaves the open page waiting; after a restart it shows every word once and that the run was interrupted (C5, C7, P2)", async () => {
    const { id } = await rig.newSession({
      steps: [flood({ text: "word ", perSecond: 50, seconds: 600 })],
    });
    const page = await rig.open(`/sessions/${id}`, { expected: /ERR_|Failed to load/u });
    await fullyLoaded(page);
    await eventually(() => wordsShown(page)).toBeGreaterThan(40);
    const shown = await wordsShown(page);
    await rig.stop("SIGTERM");
    await page.getByText(/^Reconnecting\. This page/u).waitFor();
    await rig.start();
    await transcriptOf(page)
      .getByText(/^Interrupted: /u)
      .first()
      .waitFor();
    const words = answerOf(await rig.client.sessions.get(id)).split(" ").length - 1;
    expect(words).toBeGreaterThanOrEqual(shown);
    await eventually(() => wordsShown(page)).toBe(words);
  });
});

function stopButton(page: Page) {
  return page
    .getByRole("region", { name: "Message" })
    .getByRole("button", { name: "Stop", exact: true });
}

function paragraphs(count: number): string {
  return Array.from({ length: count }, (_, index) => `This is paragraph ${index}.`).join("\n\n");
}

/** Waits for the parts of the page that load late: they cannot load once the server is killed. */
async function fullyLoaded(page: Page): Promise<void> {
  await page.getByRole("button", { name: "More", exact: true, disabled: false }).waitFor();
  await eventually(() =>
    page.evaluate(() =>
      performance.getEntriesByType("resource").some(({ name }) => name.includes("live-tokens")),
    ),
  ).toBe(true);
}

/** Counts the words in the agent's answers only. */
function wordsShown(page: Page): Promise<number> {
  return transcriptOf(page)
    .getByRole("article", { name: "Agent" })
    .locator(".markdown")
    .evaluateAll(
      (all) =>
        all
          .map(({ textContent }) => textContent)
          .join(" ")
          .split("word").length - 1,
    );
}

function answerOf({ messages }: WholeSession): string {
  return messages
    .filter(({ role, content }) => role === "agent" && content.type === "text")
    .map(({ content }) => String(content["text"]))
    .join("");
}

/** Resolves after five frames without scrolling. */
function scrollingStopped(page: Page): Promise<void> {
  return transcriptOf(page).evaluate(async (list) => {
    for (let still = 0, last = -1; still < 5;) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      still = list.scrollTop === last ? still + 1 : 0;
      last = list.scrollTop;
    }
  });
}
