import path from "node:path";
import type { Locator, Page } from "playwright-core";
import { ask, say, update } from "../../packages/server/src/providers/testing/script.ts";
import { eventually } from "./eventually.ts";
import type { PageRig } from "./page-rig.ts";

/** The options of an agent, deliberately not in the order of their keys. */
export const OPTIONS = [
  { optionId: "ever", name: "Always allow", kind: "allow_always" },
  { optionId: "no", name: "Do not", kind: "reject_once" },
  { optionId: "yes", name: "Allow once", kind: "allow_once" },
];

/** A session that asks to run a command. */
export async function askForCommand(
  rig: PageRig,
  {
    title = "Delete a deployment",
    command = "kubectl delete deployment shop",
    options = OPTIONS,
  }: {
    readonly title?: string;
    readonly command?: string;
    readonly options?: typeof OPTIONS;
  } = {},
): Promise<string> {
  const { id } = await rig.newSession({
    title: `Session of: ${title}`,
    steps: [
      say("may I?"),
      ask({ id: "tool-1", title, kind: "execute", input: { command }, options }),
    ],
  });
  await rig.until(id, ({ state }) => state === "suspended");
  return id;
}

/** A session that asks to change this many lines of a file. */
export async function askForChange(
  rig: PageRig,
  { lines, file = "src/main.ts" }: { readonly lines: number; readonly file?: string },
): Promise<string> {
  const text = (when: string): string =>
    Array.from({ length: lines }, (_, line) => `line ${line} ${when}`).join("\n");
  const target = path.resolve(rig.root, file);
  const change = { type: "diff", path: target, oldText: text("before"), newText: text("after") };
  const { id } = await rig.newSession({
    title: "Changes much",
    steps: [
      say("I change it."),
      update({
        sessionUpdate: "tool_call",
        toolCallId: "t",
        title: "Edit main.ts",
        kind: "edit",
        status: "pending",
        locations: [{ path: target }],
        content: [change],
      }),
      ask({
        id: "t",
        title: "Edit main.ts",
        kind: "edit",
        input: { file_path: target, old_string: text("before"), new_string: text("after") },
        options: OPTIONS,
      }),
    ],
  });
  await rig.until(id, ({ state }) => state === "suspended");
  return id;
}

export function cardOf(page: Page, title = "Delete a deployment"): Locator {
  return page.getByRole("region", { name: title }).and(page.locator("[data-approval]"));
}

export function optionOf(page: Page, name: string): Locator {
  return page
    .locator("[data-approval]")
    .getByRole("group", { name: "Answers" })
    .getByRole("button", { name });
}

/** Waits until an answer can be given: a new card ignores presses for a moment. */
export async function untilReady(page: Page, name = "Allow once"): Promise<void> {
  await eventually(() => optionOf(page, name).getAttribute("aria-disabled")).toBe("false");
}

/** A digit answers a request only while its answers are on the screen; otherwise it scrolls to them. */
export async function untilKeysAnswer(page: Page): Promise<void> {
  await untilReady(page);
  await eventually(() =>
    optionOf(page, "Allow once").evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    }),
  ).toBe(true);
}
