import { writeFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  ask,
  exit,
  say,
  script,
  silent,
  think,
  tool,
  update,
  waitFor,
  type Step,
} from "../../packages/server/src/providers/testing/script.ts";
import { eventually } from "./eventually.ts";
import { openPageRig, type OpenOptions, type PageRig } from "./page-rig.ts";
import { faultsOf } from "./page-faults.ts";
import { distanceFromEnd, isInReach, transcriptOf } from "./transcript-page.ts";

const SCREENS: readonly (readonly [string, OpenOptions])[] = [
  ["on a wide screen", {}],
  ["on a phone", { phone: true, dark: true }],
];

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

const composer = (page: Page): Locator => page.getByLabel("Message to the agent");
const nowLine = (page: Page): Locator => page.getByRole("region", { name: "Current activity" });
/** On the whole page. */
const stopButton = (page: Page): Locator => page.getByRole("button", { name: "Stop", exact: true });
const paragraphs = (count: number): string =>
  Array.from({ length: count }, (_, index) => `This is paragraph ${index}.\n\n`).join("");

describe("what a command prints", () => {
  const prints = (text: string, status: string): Step =>
    update({
      sessionUpdate: "tool_call",
      toolCallId: "c1",
      title: "Run `npm test`",
      kind: "execute",
      status,
      content: [{ type: "content", content: { type: "text", text } }],
    });

  it.each(SCREENS)(
    "is a terminal, also if the agent sends it as text, %s (C9)",
    async (_, screen) => {
      const lines = Array.from({ length: 60 }, (_each, index) => `*step* ${index}`);
      const output = `${lines.join("\n")}\n10%\r100%\n\u001B[31mred words\u001B[0m`;
      const { id } = await rig.newSession({ steps: [prints(output, "completed")] });
      const page = await rig.open(`/sessions/${id}`, screen);
      const transcript = transcriptOf(page);
      await transcript.getByRole("button", { name: "Run npm test" }).click();
      expect(await transcript.locator(".fold-title code").innerText()).toBe("npm test");
      const terminal = transcript.locator(".terminal");
      await terminal.locator(".ansi-red", { hasText: "red words" }).waitFor();
      const end = await terminal.locator("pre").innerText();
      expect(end.split("\n").slice(-4)).toEqual(["*step* 58", "*step* 59", "100%", "red words"]);
      expect(end.split("\n")).toHaveLength(20);
      expect(await faultsOf(page, "the session")).toEqual([]);
      await terminal.getByRole("button", { name: "Show all 62 lines" }).click();
      await terminal.getByText("*step* 0\n").waitFor();
      await terminal.getByRole("button", { name: "Show the last 20 lines" }).click();
      await eventually(() => terminal.locator("pre").innerText()).not.toContain("*step* 0\n");
      await terminal.getByRole("button", { name: "Copy output" }).waitFor();
    },
  );
});

describe("while a run is on", () => {
  it.each(SCREENS)(
    "the transcript ends with what the agent does and for how long, and one button stops it, %s (C9, A16)",
    async (_, screen) => {
      const [second, third] = [rig.gate(), rig.gate()];
      const { id } = await rig.newSession({
        steps: [
          think("Let me see."),
          waitFor(second),
          tool({ id: "t1", title: "Read `retry.ts`", kind: "read", ends: null }),
          waitFor(third),
          say("I write."),
          silent(),
        ],
      });
      const page = await rig.open(`/sessions/${id}`, screen);
      await nowLine(page).getByText("Thinking…").waitFor();
      await nowLine(page)
        .getByText(/^\d:\d\d$/u)
        .waitFor();
      writeFileSync(second, "");
      await nowLine(page).getByText("Read retry.ts").waitFor();
      expect(await faultsOf(page, "the session")).toEqual([]);
      writeFileSync(third, "");
      await nowLine(page).getByText("Writing…").waitFor();
      expect(await stopButton(page).count()).toBe(1);
      await composer(page).fill("and then");
      await page.getByRole("button", { name: "Queue", exact: true }).waitFor();
      expect(await stopButton(page).count()).toBe(1);
      expect(await isInReach(stopButton(page))).toBe(true);
      await composer(page).fill("");
      await page.getByRole("button", { name: "Queue", exact: true }).waitFor({ state: "detached" });
      expect(await stopButton(page).count()).toBe(1);
      await stopButton(page).press("Enter");
      await confirmStop(page);
      await nowLine(page).waitFor({ state: "detached" });
      await transcriptOf(page).getByText("You stopped this run").waitFor();
      await rig.until(id, ({ state }) => state === "idle");
    },
  );
});

it("a message that is sent is shown, also to a reader who is far above it (C6)", async () => {
  const { id } = await rig.newSession({ steps: [say(paragraphs(80))] });
  await rig.until(id, ({ state, messages }) => state === "idle" && messages.length > 1);
  const page = await rig.open(`/sessions/${id}`);
  const transcript = transcriptOf(page);
  await transcript.getByText("This is paragraph 79.", { exact: true }).waitFor();
  await transcript.hover();
  await page.mouse.wheel(0, -3_000);
  await page.getByRole("button", { name: "Jump to latest" }).waitFor();
  await eventually(() => distanceFromEnd(page)).toBeGreaterThan(1_000);
  await composer(page).fill(script(say("here it is")));
  await composer(page).press("Enter");
  await transcript.getByText("here it is", { exact: true }).waitFor();
  await eventually(() => distanceFromEnd(page)).toBeLessThanOrEqual(24);
});

it("a reader who scrolls while the transcript is still settling at its end stays there (C9)", async () => {
  const { id } = await rig.newSession({ steps: [say(paragraphs(80))] });
  await rig.until(id, ({ state, messages }) => state === "idle" && messages.length > 1);
  const page = await rig.open("/");
  // The first frames last as long as on a busy machine.
  await page.addInitScript(() => {
    globalThis.requestAnimationFrame = (callback) =>
      Number(setTimeout(() => callback(performance.now()), 250));
    globalThis.cancelAnimationFrame = clearTimeout;
  });
  await page.goto(`/sessions/${id}`);
  const transcript = transcriptOf(page);
  await transcript.getByText("This is paragraph 79.", { exact: true }).waitFor();
  await transcript.hover();
  await page.mouse.wheel(0, -3_000);
  await eventually(() => distanceFromEnd(page)).toBeGreaterThan(1_000);
  // As long as all of these frames take.
  await page.evaluate(async () => {
    for (let frames = 0; frames < 10; frames++) await new Promise(requestAnimationFrame);
  });
  expect(await distanceFromEnd(page)).toBeGreaterThan(1_000);
  await page.getByRole("button", { name: "Jump to latest" }).waitFor();
});

describe("a run that did not complete", () => {
  it("looks failed, and only the last one can be tried again (C4)", async () => {
    const crash = script(exit({ code: 1, stderr: "out of ideas" }));
    const { id } = await rig.newSession({ message: crash });
    await rig.until(id, ({ lastTurn }) => lastTurn.outcome === "failed");
    await rig.client.sessions.send(id, { text: crash });
    await rig.until(
      id,
      ({ messages, state }) =>
        state === "idle" &&
        messages.filter(({ content }) => content["notice"] === "run_failed").length === 2,
    );
    const page = await rig.open(`/sessions/${id}`);
    const failures = transcriptOf(page).getByRole("button", { name: "crashed (exit code 1)" });
    await eventually(() => failures.count()).toBe(2);
    await eventually(() =>
      transcriptOf(page).getByRole("button", { name: "Try again" }).count(),
    ).toBe(1);
    expect(await faultsOf(page, "the session")).toEqual([]);
    const details = transcriptOf(page).locator(".notice-detail");
    expect(await details.count()).toBe(0);
    await failures.last().click();
    await details.getByText("out of ideas").waitFor();
  });

  it("was stopped by a new message: this stands above that message (C6)", async () => {
    const { id } = await rig.newSession({ steps: [say("at work"), silent()] });
    await rig.until(id, ({ messages }) => messages.length > 1);
    await rig.client.sessions.send(id, {
      text: script(say("something else")),
      delivery: "interrupt",
    });
    await rig.until(id, ({ state, messages }) => state === "idle" && messages.length > 4);
    const page = await rig.open(`/sessions/${id}`);
    await transcriptOf(page).getByText("something else", { exact: true }).waitFor();
    const words = await transcriptOf(page).innerText();
    const stop = words.indexOf("Stopped by a new message");
    expect(stop).toBeGreaterThan(words.indexOf("at work"));
    expect(stop).toBeLessThan(words.indexOf("something else"));
  });

  it("says who stopped it: you only where it was you (C9)", async () => {
    const { id } = await rig.newSession({ steps: [say("at work"), silent()] });
    await rig.until(id, ({ messages }) => messages.length > 1);
    const page = await rig.open(`/sessions/${id}`);
    await nowLine(page).waitFor();
    await rig.client.sessions.cancel(id);
    await transcriptOf(page).getByText("Stopped by a program", { exact: true }).waitFor();
    await rig.client.sessions.send(id, { text: script(say("again"), silent()) });
    await nowLine(page).waitFor();
    await rig.client.sessions.archive(id);
    await transcriptOf(page)
      .getByText("Stopped because the session was archived", { exact: true })
      .waitFor();
    expect(await transcriptOf(page).getByText("You stopped this run").count()).toBe(0);
  });

  it("leaves its unfinished tool calls unfinished, not running (D1)", async () => {
    const { id } = await rig.newSession({
      steps: [tool({ id: "t1", title: "Build it", kind: "execute", ends: null }), silent()],
    });
    const page = await rig.open(`/sessions/${id}`);
    await nowLine(page).getByText("Build it").waitFor();
    await stopButton(page).click();
    await confirmStop(page);
    await transcriptOf(page)
      .locator('.tool:is([data-state="cancelled"], [data-state="unfinished"])')
      .waitFor();
    await eventually(() => transcriptOf(page).locator('[data-state="in_progress"]').count()).toBe(
      0,
    );
  });
});

it("messages of different days are told apart, and what is new since the last visit (C9)", async () => {
  const { id } = await rig.newSession({ steps: [say("seen")] });
  await rig.until(id, ({ state, messages }) => state === "idle" && messages.length > 1);
  const page = await rig.open(`/sessions/${id}`);
  await transcriptOf(page).getByText("seen", { exact: true }).waitFor();
  expect(await page.getByText(/^New since/u).count()).toBe(0);
  await page.goto("/");
  await rig.client.sessions.send(id, { text: script(say("not seen")) });
  await rig.until(id, ({ state, messages }) => state === "idle" && messages.length > 3);
  await page.clock.setFixedTime(Date.now() + 24 * 3_600_000);
  await page.goto(`/sessions/${id}`);
  await transcriptOf(page).getByText("Yesterday", { exact: true }).waitFor();
  await transcriptOf(page)
    .getByText(/^New since yesterday, \d\d:\d\d$/u)
    .waitFor();
  const words = await transcriptOf(page).innerText();
  const [yesterday, seen, fresh, unseen] = ["Yesterday", "\nseen", "New since", "\nnot seen"].map(
    (each) => words.indexOf(each),
  );
  expect([yesterday, seen, fresh, unseen]).toEqual(
    [yesterday, seen, fresh, unseen].toSorted((one = 0, other = 0) => one - other),
  );
  expect(await faultsOf(page, "the session")).toEqual([]);
});

it("who decided on a tool call stands at the call, also after a reload (C3)", async () => {
  const { id } = await rig.newSession({
    steps: [
      ask({ id: "c1", title: "Edit retry.ts", kind: "edit", input: { path: "retry.ts" } }),
      ask({ id: "c2", title: "Delete all", kind: "delete", input: { path: "x" } }),
    ],
  });
  for (const answer of ["allow", "reject"]) {
    const { suspensions } = await rig.until(id, ({ suspensions: open }) =>
      open.some(
        ({ request }) => request["title"] === (answer === "allow" ? "Edit retry.ts" : "Delete all"),
      ),
    );
    const suspensionId = suspensions[0]?.id ?? "";
    await rig.client.sessions.answer(id, { suspensionId, answer: { optionId: answer } });
  }
  await rig.until(id, ({ state }) => state === "idle");
  const page = await rig.open(`/sessions/${id}`);
  const shown = async (): Promise<void> => {
    await transcriptOf(page)
      .getByRole("button", { name: /Edited|Used|Edit retry|1 /u })
      .first()
      .waitFor();
    for (const text of ["Allowed by", "Rejected by"])
      await transcriptOf(page).getByText(text).waitFor();
  };
  await shown();
  await page.reload();
  await shown();
});

describe("the menu of an own message", () => {
  const open = async (page: Page, text: string): Promise<void> => {
    const article = transcriptOf(page)
      .getByRole("article", { name: "You" })
      .filter({ hasText: text });
    await article.getByRole("button", { name: "More actions on this message" }).press("Enter");
    await page.getByRole("menu").waitFor();
  };

  it("puts the message back into the message box, to edit it and run it again (C9)", async () => {
    const { id } = await rig.newSession({ message: "the first" });
    await rig.until(id, ({ state, messages }) => state === "idle" && messages.length > 1);
    await rig.client.sessions.send(id, { text: "the second" });
    await rig.until(id, ({ state, messages }) => state === "idle" && messages.length > 3);
    const page = await rig.open(`/sessions/${id}`, { expected: /Failed to load resource/u });
    await transcriptOf(page).getByText("echo: the second", { exact: true }).waitFor();
    await open(page, "the second");
    await page.getByRole("menuitem", { name: "Edit and run again…" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Edit and run again?" });
    // The folder of this test is no Git repository, so its files are not known.
    await dialog.getByRole("checkbox", { name: "Files" }).uncheck();
    await dialog.getByText("1 message and its answer leave the conversation:").waitFor();
    await dialog.getByRole("button", { name: "Edit" }).click();
    await eventually(() => composer(page).inputValue()).toBe("the second");
    await eventually(() => composer(page).evaluate((box) => box === document.activeElement)).toBe(
      true,
    );
    await transcriptOf(page).getByRole("button", { name: "2 messages were taken back" }).waitFor();
  });

  it("forks the session from here, with the message in the message box (C9)", async () => {
    const { id } = await rig.newSession({ message: "the first" });
    await rig.until(id, ({ state, messages }) => state === "idle" && messages.length > 1);
    await rig.client.sessions.send(id, { text: "the second" });
    await rig.until(id, ({ state, messages }) => state === "idle" && messages.length > 3);
    const page = await rig.open(`/sessions/${id}`);
    await transcriptOf(page).getByText("echo: the second", { exact: true }).waitFor();
    await open(page, "the second");
    await page.getByRole("menuitem", { name: "Fork from here" }).press("Enter");
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    await eventually(() => composer(page).inputValue()).toBe("the second");
    await transcriptOf(page).getByText("echo: the first", { exact: true }).waitFor();
    expect(await transcriptOf(page).getByText("echo: the second").count()).toBe(0);
  });
});

async function confirmStop(page: Page): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Stop this run?" });
  await dialog.getByRole("button", { name: "Stop", exact: true }).click();
}
