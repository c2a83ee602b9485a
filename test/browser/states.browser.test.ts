import path from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { comparedSession } from "../../packages/protocol/src/index.ts";
import { ASKED_BY_CLAUDE } from "../../packages/protocol/src/form/testing/real-forms.ts";
import { repeat } from "../../packages/server/src/domain/testing/repeat.ts";
import { newRepository } from "../../packages/server/src/git/testing/new-repository.ts";
import {
  elicit,
  fail,
  say,
  script,
  silent,
  stop,
  tool,
  update,
  write,
  type Step,
} from "../../packages/server/src/providers/testing/script.ts";
import { holdfast } from "../e2e/holdfast-process.ts";
import { faultsOf } from "./page-faults.ts";
import { openPageRig, type OpenOptions, type PageRig } from "./page-rig.ts";
import { askForChange } from "./requests-page.ts";
import { transcriptOf } from "./transcript-page.ts";

/** The other pages and dialogs are in looks.browser.test.ts. */
type State = readonly [
  name: string,
  address: string,
  /** Brings the page into the state, and waits until it shows it. */
  arrange: (page: Page) => Promise<unknown>,
];
type Look = readonly [name: string, options: OpenOptions];

const EVERY_DAY: readonly Look[] = [
  ["light, wide", {}],
  ["dark, phone", { phone: true, dark: true }],
];
const OTHERS: readonly Look[] = [
  ["dark, wide", { dark: true }],
  ["light, phone", { phone: true }],
];
const LOOKS = repeat({ short: EVERY_DAY, long: [...EVERY_DAY, ...OTHERS] });
const GUEST = { signIn: false, expected: /40[13] \((Unauthorized|Forbidden)\)/u } as const;

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig({ agents: { second: { title: "Second" } } });
});
afterEach(() => rig.clear({ keepSessions: true }));
afterAll(() => rig.close());

/** The faults of all states, one after the other in one page. */
async function faultsIn(page: Page, states: readonly State[]): Promise<string> {
  const faults: string[] = [];
  for (const [name, address, arrange] of states) {
    await goTo(page, address);
    try {
      await arrange(page);
    } catch (error) {
      faults.push(`DEV ${name} ${error}`);
    }
    faults.push(...(await faultsOf(page, name)));
    await closeAll(page);
  }
  return faults.join("\n");
}

async function open(address: string, options: OpenOptions): Promise<Page> {
  const page = await rig.open(address, options);
  page.setDefaultTimeout(8_000);
  if (options.phone !== true) await page.setViewportSize({ width: 1440, height: 900 });
  return page;
}

/** Like a link within the page. A new document would have to load the rules again. */
async function goTo(page: Page, address: string): Promise<void> {
  await page.evaluate((target) => {
    history.pushState(null, "", target);
    dispatchEvent(new PopStateEvent("popstate"));
  }, address);
}

async function closeAll(page: Page): Promise<void> {
  const panel = page.getByRole("button", { name: "Close the panel (])" });
  if (await panel.isVisible()) await panel.click();
  const layer = page.locator("[role=dialog], [role=menu]");
  while ((await layer.count()) > 0) {
    const count = await layer.count();
    await page.keyboard.press("Escape");
    await page.waitForFunction(
      (before) => document.querySelectorAll("[role=dialog], [role=menu]").length < before,
      count,
    );
  }
}

const heading = (name: string) => (page: Page) => page.getByRole("heading", { name }).waitFor();
const text = (words: string) => (page: Page) =>
  page.getByText(words, { exact: true }).locator("visible=true").first().waitFor();
const press = (page: Page, name: string): Promise<void> =>
  page.getByRole("button", { name, exact: true }).locator("visible=true").first().click();
const choose = async (page: Page, item: string): Promise<void> => {
  await press(page, "More");
  await page.getByRole("menuitem", { name: new RegExp(`^${item}`, "u") }).click();
};
const dialog = (page: Page, name: string): Locator => page.getByRole("dialog", { name });

describe("a server without sessions", () => {
  const STATES: readonly State[] = [
    ["the empty list", "/", text("No sessions yet")],
    ["the empty inbox", "/inbox", text("Nothing needs you")],
    ["analytics without data", "/analytics", heading("Analytics")],
    [
      "ways to set up an agent",
      "/",
      async (page) => {
        await page.getByText("Set up another agent").click();
        await page.getByRole("button", { name: "Check again" }).waitFor();
      },
    ],
  ];

  it.each(LOOKS)("passes the accessibility rules, with large targets: %s (C9)", async (_, look) => {
    const page = await open("/", look);
    expect(await faultsIn(page, STATES)).toBe("");
  });

  it.each(LOOKS)("as does signing in: %s (C9)", async (_, look) => {
    const page = await open("/", { ...look, ...GUEST });
    await page.getByLabel("Access token").fill("wrong");
    const faults = [...(await faultsOf(page, "sign in"))];
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Wrong token").waitFor();
    faults.push(...(await faultsOf(page, "wrong token")));
    expect(faults.join("\n")).toBe("");
  });
});

describe("a server with sessions in every state", () => {
  const PLAN = [
    { content: "Look around", priority: "high", status: "completed" },
    { content: "Change it", priority: "medium", status: "in_progress" },
  ];
  const WORK: readonly Step[] = [
    update({ sessionUpdate: "plan", entries: PLAN }),
    tool({
      id: "c1",
      title: "`npm test`",
      kind: "execute",
      input: { command: "npm test" },
      output: "\u001B[31mred\u001B[0m\nsecond line",
    }),
    write("values.txt", "one\n2\nthree\n"),
    update({ sessionUpdate: "usage_update", used: 50_000, size: 200_000 }),
    say("All done"),
    stop("end_turn", { inputTokens: 1_200, outputTokens: 300 }),
  ];
  let states: readonly State[];
  let shared: string;

  beforeAll(async () => {
    newRepository(path.join(rig.root, "shop"), { "values.txt": "one\ntwo\nthree\n" });
    await removeOne();
    const made = await makeSessions();
    const { token } = await rig.client.tokens.create({
      name: "l",
      scope: "read",
      sessionId: made.worked,
    });
    shared = `/shared/${made.worked}#${token}`;
    states = [...listStates(), ...sessionStates(made), ...settingsStates()];
  });

  it.each(LOOKS)("passes the accessibility rules, with large targets: %s (C9)", async (_, look) => {
    const page = await open("/", { ...look, expected: /status of 4\d\d/u });
    expect(await faultsIn(page, states)).toBe("");
  });

  it.each(LOOKS)("as does a shared session: %s (C9)", async (_, look) => {
    const page = await open(shared, { ...look, ...GUEST });
    await transcriptOf(page).getByText("All done", { exact: true }).waitFor();
    await page.getByRole("button", { name: /^Changes: / }).click();
    await page.getByText("Added: 2").waitFor();
    expect((await faultsOf(page, "a shared session")).join("\n")).toBe("");
  });

  async function removeOne(): Promise<void> {
    await rig.newSession({ title: "Come back" });
    const data = path.join(rig.root, "..", "data");
    await holdfast(["cleanup", "--hours", "0", "--conversations", "--yes", "--data", data]);
  }

  async function makeSessions() {
    const begin = async (title: string, ...steps: readonly Step[]): Promise<string> =>
      (await rig.newSession({ title, steps })).id;
    // The sessions that have ended first: not all agents can work at once.
    const compared = await compare();
    const archived = await begin("Put away", say("All said"));
    await rig.until(archived, ({ lastTurn }) => lastTurn.outcome === "completed");
    await rig.client.sessions.archive(archived);
    const failed = await begin("Broke", say("Trying"), fail({ code: -32_603, message: "no key" }));
    await rig.until(failed, ({ lastTurn }) => lastTurn.outcome === "failed");
    const stopped = await begin("Halted", say("Trying"), silent());
    await rig.until(stopped, ({ state }) => state === "running");
    await rig.client.sessions.cancel(stopped);
    await rig.until(stopped, ({ state }) => state === "idle");
    const { id: worked } = await rig.newSession({ title: "Worked", repo: "shop", steps: WORK });
    await rig.until(worked, ({ state, changes }) => state === "idle" && changes !== null);
    const queued = await begin("Has a queue", say("On it"), silent());
    await rig.until(queued, ({ state }) => state === "running");
    for (const words of ["and then", "and finally"])
      await rig.client.sessions.send(queued, { text: words });
    const form = { mode: "form", message: "Which one?", requestedSchema: ASKED_BY_CLAUDE };
    const made = {
      ...{ compared, archived, failed, stopped, worked, queued },
      fresh: (await rig.newSession({ title: "Fresh" })).id,
      running: await begin("Works", say("On it"), silent()),
      asks: await askForChange(rig, { lines: 3 }),
      form: await begin("Asks with a form", elicit(form)),
    };
    return made;
  }

  async function compare(): Promise<string> {
    const { id: repoId } = await rig.client.repos.add({ path: "shop" });
    const message = script(write("values.txt", "better\n"), say("Done"));
    const ids: string[] = [];
    for (const provider of ["scripted", "second"]) {
      const request = comparedSession({ comparison: "one", repoId, provider, message });
      const { id } = await rig.client.sessions.create(request);
      await rig.client.sessions.send(id, { text: message });
      ids.push(id);
    }
    for (const id of ids)
      await rig.until(id, ({ state, changes }) => state === "idle" && changes !== null);
    return ids.join(",");
  }
});

function listStates(): readonly State[] {
  const row = (name: string) => (page: Page) => page.getByRole("link", { name }).waitFor();
  return [
    ["the list with all groups", "/", row("Broke")],
    [
      "the menu of a row",
      "/",
      async (page) => {
        await press(page, "More about Broke");
        await page.getByRole("menuitem", { name: "Archive" }).waitFor();
      },
    ],
    [
      "a selection",
      "/",
      async (page) => {
        await press(page, "More about Broke");
        await page.getByRole("menuitem", { name: "Select" }).click();
        await page.getByRole("toolbar", { name: "Selected sessions" }).waitFor();
      },
    ],
    [
      "the filters",
      "/?provider=scripted&state=sleeping",
      async (page) => {
        await press(page, "Filter");
        await page.getByLabel("Agent", { exact: true }).waitFor();
      },
    ],
    [
      "a search",
      "/?q=trying",
      (page) => page.getByText("Trying", { exact: false }).first().waitFor(),
    ],
    [
      "the palette",
      "/",
      async (page) => {
        await row("Broke")(page);
        await page.keyboard.press("Control+k");
        await page.getByRole("option", { name: "Compare agents" }).waitFor();
      },
    ],
  ];
}

function sessionStates(
  ids: Readonly<
    Record<
      | "fresh"
      | "running"
      | "asks"
      | "form"
      | "failed"
      | "stopped"
      | "queued"
      | "archived"
      | "worked"
      | "compared",
      string
    >
  >,
): readonly State[] {
  const box = (page: Page): Locator => page.getByLabel("Message to the agent");
  const inWorked = (name: string, arrange: (page: Page) => Promise<unknown>): State => [
    name,
    `/sessions/${ids.worked}`,
    async (page) => {
      await transcriptOf(page).getByText("All done", { exact: true }).waitFor();
      await arrange(page);
    },
  ];
  return [
    ["a new session", `/sessions/${ids.fresh}`, heading("Fresh")],
    [
      "a new session without the list",
      `/sessions/${ids.fresh}`,
      async (page) => {
        const hide = page.getByRole("button", { name: "Hide the list" });
        if (await hide.isVisible()) await hide.click();
      },
    ],
    ["a running session", `/sessions/${ids.running}`, text("On it")],
    [
      "a message to a running session",
      `/sessions/${ids.running}`,
      async (page) => {
        await box(page).fill("something else");
        await page.getByRole("button", { name: /nterrupt/u }).waitFor();
      },
    ],
    [
      "the question before a stop",
      `/sessions/${ids.queued}`,
      async (page) => {
        await page.getByRole("button", { name: "Stop" }).first().click();
        await dialog(page, "Stop this run?").waitFor();
      },
    ],
    [
      "a request to change a file",
      `/sessions/${ids.asks}`,
      (page) => page.getByRole("button", { name: /^Allow once/u, disabled: false }).waitFor(),
    ],
    [
      "a form",
      `/sessions/${ids.form}`,
      (page) => page.getByRole("button", { name: "Decline", disabled: false }).waitFor(),
    ],
    [
      "a failed run",
      `/sessions/${ids.failed}`,
      (page) =>
        page
          .getByText(/no key/u)
          .first()
          .waitFor(),
    ],
    ["a stopped run", `/sessions/${ids.stopped}`, text("You stopped this run")],
    [
      "a queue",
      `/sessions/${ids.queued}`,
      (page) => page.getByRole("region", { name: "Queue" }).getByText("and finally").waitFor(),
    ],
    [
      "a message of the queue that is edited",
      `/sessions/${ids.queued}`,
      async (page) => {
        await press(page, "Edit message");
        await page.getByLabel("Message in the queue").waitFor();
      },
    ],
    [
      "an archived session",
      `/sessions/${ids.archived}`,
      (page) => page.getByRole("button", { name: "Fork to continue" }).waitFor(),
    ],
    ...["Files", "Plan", "Terminal", "Usage"].map((tab) =>
      inWorked(`the tab ${tab}`, async (page) => {
        await choose(page, tab);
        await page.getByRole("tab", { name: new RegExp(`^${tab}`, "u"), selected: true }).waitFor();
        await page.getByRole("tabpanel").getByText(/\S/u).first().waitFor();
      }),
    ),
    inWorked("the menu of a session", async (page) => {
      await press(page, "More");
      await page.getByRole("menuitem", { name: "Delete…" }).waitFor();
    }),
    ...(
      [
        ["Details", "Details"],
        ["MCP servers…", "MCP servers and directories"],
        ["Share…", "Share this session"],
        ["Delete…", "Delete this session?"],
      ] as const
    ).map(([item, title]) =>
      inWorked(title, async (page) => {
        await choose(page, item);
        await dialog(page, title).waitFor();
      }),
    ),
    inWorked("the choice of an agent", async (page) => {
      await page
        .getByRole("button", { name: /^(Agent of the next message|Options of the message)/u })
        .click();
      await dialog(page, "").getByText("Second").first().waitFor();
    }),
    inWorked("words that are found", async (page) => {
      await choose(page, "Find in this session");
      await page.getByRole("searchbox", { name: "Find in this session" }).fill("done");
      await page.getByText(/^1 of \d/u).waitFor();
    }),
    inWorked("the question before a rewind", async (page) => {
      const message = transcriptOf(page).getByRole("article", { name: "You" });
      await message.hover();
      await message.getByRole("button", { name: "More actions on this message" }).click();
      await page.getByRole("menuitem", { name: "Go back to before this message…" }).click();
      await page.getByRole("button", { name: "Go back", disabled: false }).waitFor();
    }),
    inWorked("changes with a comment", commentOnChange),
    [
      "a comparison",
      `/compare?ids=${ids.compared}`,
      (page) =>
        page.getByRole("button", { name: "Take this one: Second", disabled: false }).waitFor(),
    ],
  ];
}

async function commentOnChange(page: Page): Promise<void> {
  await choose(page, "Files");
  await page.getByRole("button", { name: /values\.txt/u }).click();
  const diff = page.getByRole("figure", { name: "Changes in values.txt" });
  await diff.getByText("Removed: two").waitFor();
  await diff.getByRole("button", { name: /^Comment( on line 2)?$/u }).click();
  await diff.getByRole("textbox").fill("Write it out");
  await diff.getByRole("button", { name: "Add comment" }).click();
  await diff.getByRole("article").waitFor();
}

function settingsStates(): readonly State[] {
  return [
    [
      "the settings, with all forms",
      "/settings",
      async (page) => {
        await page.getByRole("button", { name: "Restore Come back" }).waitFor();
        await press(page, "Add a repository");
        await press(page, "Create a token");
        await page.getByLabel("Bundle of a session").setInputFiles({
          name: "other.jsonl",
          mimeType: "application/jsonl",
          buffer: Buffer.from("no bundle\n"),
        });
        await page.getByRole("alert").waitFor();
      },
    ],
  ];
}
