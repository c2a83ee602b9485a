import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  say,
  update,
  waitFor,
  type Step,
} from "../../packages/server/src/providers/testing/script.ts";
import { eventually } from "./eventually.ts";
import { openPageRig, type OpenOptions, type PageRig } from "./page-rig.ts";
import { distanceFromEnd, transcriptOf } from "./transcript-page.ts";

const SCREENS: readonly (readonly [string, OpenOptions])[] = [
  ["on a wide screen", {}],
  ["on a phone", { phone: true, dark: true }],
];
const COMMAND = "npm run build";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

const call = (fields: object): Step =>
  update({ sessionUpdate: "tool_call_update", toolCallId: "c1", ...fields });
const prints = (data: string): Step =>
  call({ _meta: { terminal_output_delta: { terminal_id: "c1", data } } });
const BEGINS = update({
  sessionUpdate: "tool_call",
  toolCallId: "c1",
  title: COMMAND,
  kind: "execute",
  status: "in_progress",
  content: [{ type: "terminal", terminalId: "c1" }],
});
const ends = (exitCode: number): Step =>
  call({
    status: exitCode === 0 ? "completed" : "failed",
    _meta: { terminal_exit: { terminal_id: "c1", exit_code: exitCode, signal: null } },
  });
const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => `step ${from + index}\n`).join("");

const line = (page: Page): Locator => transcriptOf(page).getByRole("button", { name: COMMAND });
const terminal = (page: Page): Locator => transcriptOf(page).locator(".terminal");

describe("a command that runs", () => {
  it.each(SCREENS)(
    "D1 shows the end of its output as it grows, then the exit code, %s",
    async (_, screen) => {
      const [more, end] = [rig.gate(), rig.gate()];
      const steps = [
        say("First.\n\n".repeat(40)),
        BEGINS,
        prints(lines(0, 20)),
        waitFor(more),
        prints(lines(20, 100)),
        waitFor(end),
        ends(0),
      ];
      const { id } = await rig.newSession({ steps });
      const page = await rig.open(`/sessions/${id}`, screen);
      await terminal(page).getByText("step 19").waitFor();
      expect(await terminal(page).innerText()).not.toContain("step 11\n");
      await eventually(() => distanceFromEnd(page)).toBeLessThan(4);
      writeFileSync(more, "");
      await terminal(page).getByText("step 99").waitFor();
      await eventually(() => distanceFromEnd(page)).toBeLessThan(4);
      await line(page).click();
      await terminal(page).getByText("Show all 100 lines").click();
      await terminal(page).getByText("step 0\n").waitFor();
      writeFileSync(end, "");
      await terminal(page).getByText("exit code 0").waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
      await line(page).click();
      await terminal(page).waitFor({ state: "detached" });
    },
  );

  it("D1 that fails is opened with its exit code and the end of its output", async () => {
    const { id } = await rig.newSession({
      steps: [BEGINS, prints(`${lines(0, 200)}error: no`), ends(3)],
    });
    const page = await rig.open(`/sessions/${id}`);
    await terminal(page).getByText("exit code 3").waitFor();
    await terminal(page).getByText("error: no").waitFor();
  });

  it.each(SCREENS)(
    "D1 whose output the agent left in a file can be saved as a whole, %s",
    async (_, screen) => {
      const file = path.join(rig.root, "out.txt");
      writeFileSync(file, lines(0, 50_000));
      const cut = `${lines(0, 20)}[Output truncated: full output saved to ${file}]`;
      const { id } = await rig.newSession({ steps: [BEGINS, prints(cut), ends(0)] });
      await rig.until(id, ({ state, messages }) => state === "idle" && messages.length > 1);
      const page = await rig.open(`/sessions/${id}`, screen);
      await line(page).click();
      const [saved] = await Promise.all([
        page.waitForEvent("download"),
        transcriptOf(page).getByRole("button", { name: "Full output" }).click(),
      ]);
      const copy = rig.gate();
      await saved.saveAs(copy);
      expect(readFileSync(copy, "utf8") === lines(0, 50_000)).toBe(true);
    },
  );

  it("D1 says how much of a very long output is left out", async () => {
    const flood = Array.from({ length: 40 }, (_, index) =>
      prints(lines(index * 1_000, (index + 1) * 1_000)),
    );
    const { id } = await rig.newSession({ steps: [BEGINS, ...flood, ends(0)] });
    await rig.until(id, ({ state, messages }) => state === "idle" && messages.length > 1);
    const page = await rig.open(`/sessions/${id}`);
    await line(page).click();
    await terminal(page)
      .getByText(/^exit code 0 · [\d,]+ bytes left out$/u)
      .waitFor();
    await terminal(page).getByText("step 39999").waitFor();
  });
});
