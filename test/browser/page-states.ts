import type { Locator, Page } from "playwright-core";
import { faultsOf } from "./page-faults.ts";
import { transcriptOf } from "./transcript-page.ts";

/** A page, or a part of it, in a state. */
export type State = readonly [
  name: string,
  address: string,
  /** Brings the page into the state, and waits until it shows it. */
  arrange: (page: Page) => Promise<unknown>,
];
/** The faults of all states, one after the other in one page. */
export async function faultsIn(page: Page, states: readonly State[]): Promise<string> {
  const faults: string[] = [];
  for (const [name, address, arrange] of states) {
    await goTo(page, address);
    await arrange(page);
    faults.push(...(await faultsOf(page, name)));
    await closeAll(page);
  }
  return faults.join("\n");
}

/** Like a link within the page. A new document would have to load the rules again. */
export async function goTo(page: Page, address: string): Promise<void> {
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

export const heading = (name: string) => (page: Page) =>
  page.getByRole("heading", { name }).waitFor();
export const text = (words: string) => (page: Page) =>
  page.getByText(words, { exact: true }).locator("visible=true").first().waitFor();
const press = (page: Page, name: string): Promise<void> =>
  page.getByRole("button", { name, exact: true }).locator("visible=true").first().click();
const choose = async (page: Page, item: string): Promise<void> => {
  await press(page, "More");
  await page.getByRole("menuitem", { name: new RegExp(`^${item}`, "u") }).click();
};
const dialog = (page: Page, name: string): Locator => page.getByRole("dialog", { name });

export function listStates(): readonly State[] {
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

/** The sessions that the states show. `compared` are two, with a comma between them. */
type SampleSession =
  | "fresh"
  | "running"
  | "asks"
  | "form"
  | "failed"
  | "stopped"
  | "queued"
  | "archived"
  | "worked"
  | "compared";

export function sessionStates(ids: Readonly<Record<SampleSession, string>>): readonly State[] {
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
    ["a stopped run", `/sessions/${ids.stopped}`, text("Stopped by a program")],
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

export function settingsStates(): readonly State[] {
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
