import { writeFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { say, waitFor } from "../../packages/server/src/providers/testing/script.ts";
import { eventually } from "./eventually.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";
import { transcriptOf } from "./transcript-page.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

const LINES = [
  'import { a } from "./a.ts";\n',
  "/* a comment\n",
  "   goes on */ const text = `one ${a(1)} two`;\n",
  "export const last = 2;\n",
];

/** The coloured pieces of the code, as "kind text". */
function coloursOf(page: Page): Promise<readonly string[]> {
  return transcriptOf(page)
    .locator("pre")
    .filter({ hasText: "export const last" })
    .locator("[class^=tk-]")
    .evaluateAll((all) => all.map(({ className, textContent }) => `${className} ${textContent}`));
}

it("streamed code has its colours at the end, also if a slow machine hit the time limit of a line (C9)", async () => {
  const gate = rig.gate();
  const { id } = await rig.newSession({
    steps: [
      // Starts the worker: the last block of a growing text may still change.
      say('```json\n{ "a": 1 }\n```\n\nAnd now:\n\n'),
      waitFor(gate),
      say("```ts\n"),
      ...LINES.map((line) => say(line)),
      say("```\n\nDone."),
    ],
  });
  const page = await rig.open("/");
  const starting = page.waitForEvent("worker", {
    predicate: (worker) => worker.url().includes("highlight"),
  });
  await page.goto(`/sessions/${id}`);
  const worker = await starting;
  // The tokenizer looks at the clock at each piece of a line. The first looks take as long as on a slow machine.
  await worker.evaluate(() => {
    const { now } = Date;
    let slowLooks = 8;
    Date.now = () => {
      const until = now() + (slowLooks > 0 ? 300 : 0);
      slowLooks -= 1;
      while (now() < until);
      return now();
    };
  });
  writeFileSync(gate, "");
  await transcriptOf(page).getByText("Done.", { exact: true }).waitFor();
  await eventually(() => coloursOf(page)).toContain("tk-constant 2");
  const streamed = await coloursOf(page);
  await page.reload();
  await eventually(() => coloursOf(page)).toContain("tk-constant 2");
  expect(streamed).toEqual(await coloursOf(page));
  expect(streamed).toContain("tk-keyword import");
});
