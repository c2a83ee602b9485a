import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { ASKED_BY_CODEX } from "../../packages/protocol/src/form/testing/real-forms.ts";
import {
  ask,
  elicit,
  say,
  tool,
  update,
} from "../../packages/server/src/providers/testing/script.ts";
import { repeat } from "../../packages/server/src/domain/testing/repeat.ts";
import { faultsOf } from "./page-faults.ts";
import { goTo } from "./page-states.ts";
import { openPageRig, type OpenOptions, type PageRig } from "./page-rig.ts";

type Look = readonly [name: string, options: OpenOptions];

/** Everyday runs use each theme and each size once: colours depend on the theme, layout on the size. */
const EVERY_DAY: readonly Look[] = [
  ["light, wide", {}],
  ["dark, phone", { phone: true, dark: true }],
];
const OTHERS: readonly Look[] = [
  ["dark, wide", { dark: true }],
  ["light, phone", { phone: true }],
];
const LOOKS = repeat({ short: EVERY_DAY, long: [...EVERY_DAY, ...OTHERS] });

const LONG_COMMAND = `npm publish --access public --registry ${"x".repeat(400)}`;
const PLAN = [
  { content: "Look around", priority: "high", status: "completed" },
  { content: "Change it", priority: "medium", status: "in_progress" },
  { content: "Test it", priority: "low", status: "pending" },
];

const MARKDOWN = [
  "# Heading",
  `Text with **weight**, \`code\`, a [link](https://example.com/) and ${"a-long-word".repeat(30)}.`,
  "> A quote",
  "- one\n- two\n  1. inner",
  "| a | b |\n|---|---|\n| 1 | 2 |",
  `\`\`\`ts\nconst answer: number = 42; // ${"wide ".repeat(60)}\n\`\`\``,
].join("\n\n");

let rig: PageRig;
let waiting: string;
let withForm: string;
let withPage: string;
beforeAll(async () => {
  rig = await openPageRig();
  const { id } = await rig.newSession({
    title: "A session with one of everything",
    steps: [
      say(MARKDOWN),
      update({ sessionUpdate: "plan", entries: PLAN }),
      tool({
        id: "t1",
        title: "Read README.md",
        kind: "read",
        output: "# Readme",
        ends: "completed",
      }),
      tool({ id: "t2", title: "npm test", kind: "execute", output: "1 failed", ends: "failed" }),
      ask({ id: "t3", title: "npm publish", kind: "execute", input: { command: LONG_COMMAND } }),
    ],
  });
  await rig.until(id, ({ state }) => state === "suspended");
  const away = await rig.newSession({ title: "Put away" });
  await rig.client.sessions.archive(away.id);
  waiting = id;
  withForm = await asking({ mode: "form", message: "Which?", requestedSchema: ASKED_BY_CODEX });
  withPage = await asking({
    mode: "url",
    message: "Sign in",
    url: `https://login.example.com/${"x".repeat(300)}`,
    elicitationId: "e",
  });
});
afterEach(() => rig.clear({ keepSessions: true }));
afterAll(() => rig.close());

it.each(LOOKS)(
  "every page and dialog passes the accessibility rules and fits the screen: %s",
  async (_, look) => {
    const page = await rig.open("/?archived=1", {
      ...look,
      expected: /404 .*\/api\/sessions\/none/u,
    });
    const faults: string[] = [];
    for (const [name, address, landmark] of pages()) {
      await goTo(page, address);
      await landmark(page).waitFor();
      faults.push(...(await faultsOf(page, name)));
    }
    await goTo(page, "/");
    await page.getByRole("list", { name: "Sessions" }).waitFor();
    for (const [key, name] of [
      ["c", "New session"],
      ["?", "Keyboard shortcuts"],
    ] as const) {
      await page.keyboard.press(key);
      const dialog = page.getByRole("dialog", { name });
      await dialog.waitFor();
      faults.push(...(await faultsOf(page, name)));
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
    expect(faults.join("\n")).toBe("");
  },
);

async function asking(params: Readonly<Record<string, unknown>>): Promise<string> {
  const { id } = await rig.newSession({ title: "Asks", steps: [elicit(params)] });
  await rig.until(id, ({ state }) => state === "suspended");
  return id;
}

/** Each landmark appears with the data of its page. */
function pages(): readonly (readonly [
  name: string,
  address: string,
  landmark: (page: Page) => ReturnType<Page["locator"]>,
])[] {
  return [
    ["list", "/?archived=1", (page) => page.getByRole("link", { name: "Put away" })],
    ["no hits", "/?q=giraffe", (page) => page.getByText("No matching sessions")],
    ["session", `/sessions/${waiting}`, answerable],
    ["form", `/sessions/${withForm}`, (page) => page.getByRole("radio", { name: "Staging" })],
    [
      "page to open",
      `/sessions/${withPage}`,
      (page) => page.getByRole("link", { name: "Open the page" }),
    ],
    ["no session", "/sessions/none", (page) => page.getByText("Session not found")],
    ["inbox", "/inbox", answerable],
    ["analytics", "/analytics", (page) => page.getByText("Tokens in").first()],
    [
      "settings",
      "/settings",
      (page) => page.getByRole("region", { name: "Agents" }).getByText("Scripted").first(),
    ],
  ];
}

/** The answers are dimmed for a moment after the request appears, so that nobody chooses one by accident. */
function answerable(page: Page): ReturnType<Page["locator"]> {
  const answers = page.getByRole("region", { name: "npm publish" }).getByRole("group");
  return answers.getByRole("button", { name: "Allow", exact: true, disabled: false });
}
