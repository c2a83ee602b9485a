import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import {
  HOSTILE_ID,
  openHostileServer,
  type HostileServer,
} from "../security/hostile/hostile-server.ts";
import { eventually } from "./eventually.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";
import { transcriptOf } from "./transcript-page.ts";

/** Runs code if a page treats it as HTML or as an address. Contains the name of its field. */
const hostile = (field: string): string => {
  const place = PROVIDER.test(field) ? "provider" : field;
  return `<img src=x onerror="globalThis.ran='${place}'"><b>${place}</b>javascript:globalThis.ran='${place}'//"'><svg/onload=globalThis.ran=1>`;
};
/** All provider fields contain the same text; otherwise the page would not find the provider. */
const PROVIDER = /(?:^|\.)(?:provider|defaultProvider|providers\.name)$/u;

let rig: PageRig;
let server: HostileServer;
let refusing: HostileServer;
beforeAll(async () => {
  rig = await openPageRig();
  server = await openHostileServer({ text: hostile, streams: false, upstream: rig.url });
  refusing = await openHostileServer({ text: hostile, refuses: true, upstream: rig.url });
});
afterEach(() => rig.clear());
afterAll(async () => {
  await server.close();
  await refusing.close();
  await rig.close();
});

const SESSION = `/sessions/${HOSTILE_ID}`;

interface Step {
  /** Opens a part of the page. */
  readonly open: (page: Page) => Promise<void>;
  /** The fields that the page must show. Without this list a removed field would no longer be tested. */
  readonly shown: string;
}

/** Each page, and the steps that open everything on it. */
const PAGES: Readonly<Record<string, readonly Step[]>> = {
  "/": [
    {
      open: async (page) => {
        await page.getByRole("listitem").first().waitFor();
        await page.getByRole("button", { name: "New session" }).first().click();
        await page.getByRole("dialog").getByText("<img").first().waitFor({ state: "attached" });
      },
      shown: `
        provider providers.title providers.models.id providers.models.name repos.name repos.path
        sessions.title sessions.agentName sessions.suspensions.request.title sessions.failure
        sessions.suspendedReason
      `,
    },
  ],
  "/?q=b": [
    {
      open: async (page) => {
        await page.getByRole("listitem").first().waitFor();
        await page.keyboard.press("Control+k");
        await page.getByRole("option").first().waitFor();
      },
      shown: "hits.text providers.title repos.name sessions.title sessions.agentName",
    },
  ],
  [SESSION]: [
    {
      open: async (page) => {
        const transcript = transcriptOf(page);
        await transcript.getByRole("button", { name: /taken back/u }).click();
        await transcript.getByText("<img").first().waitFor();
        const folded = transcript.locator('[aria-expanded="false"]:not([aria-haspopup])');
        while ((await folded.count()) > 0) await folded.first().click();
      },
      shown: `
        title model provider repo.name repo.path worktree.branch queue.content.text messages.content.text
        messages.content.title suspensions.request.title suspensions.request.kind
        suspensions.request.description suspensions.request.input.command suspensions.request.input.key
        suspensions.request.input.path suspensions.request.options.name providers.title
      `,
    },
    {
      open: (page) => page.locator("[data-composer] button[aria-haspopup]").first().click(),
      shown: `
        providers.models.id providers.models.name options.name options.description options.value
        options.choices.id options.choices.name
      `,
    },
    {
      open: async (page) => {
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: "More", exact: true }).last().click();
        await page.getByRole("menuitem", { name: "Details" }).click();
      },
      shown: "lastError directories worktree.base worktree.path mcpServers.value.command",
    },
    {
      open: async (page) => {
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
        await write(page, "@x");
      },
      shown: "files",
    },
    {
      open: (page) => write(page, "/"),
      shown: "providers.commands.name providers.commands.description providers.commands.hint",
    },
    {
      open: (page) =>
        page
          .getByRole("button", { name: /changed|Changes|\+1/u })
          .first()
          .click(),
      shown: "files.path branch into pullRequest",
    },
  ],
  "/inbox": [
    {
      open: (page) => page.locator("[data-approval]").first().waitFor(),
      shown: `
        sessions.title suspensions.request.title suspensions.request.kind
        suspensions.request.description suspensions.request.input.command
        suspensions.request.input.key suspensions.request.input.path suspensions.request.options.name
      `,
    },
  ],
  "/analytics": [{ open: firstText, shown: "byAgent.name byProvider.name" }],
  "/settings": [
    {
      open: firstText,
      shown: `
        provider providers.title providers.command providers.models.name repos.name repos.path version
        platform database.schema sandbox.reason
      `,
    },
  ],
};

it.each(Object.entries(PAGES))(
  "every field from a server is shown as text, at %s",
  async (address, steps) => {
    const page = await rig.open(address, { at: server.url, expected: /404|Failed to load/u });
    for (const { open, shown } of steps) {
      await open(page);
      const missing = new Set(shown.trim().split(/\s+/u));
      await eventually(async () => {
        for (const field of await fieldsOn(page)) missing.delete(field);
        if (address === SESSION) await scrollTranscript(page);
        return [...missing];
      }).toEqual([]);
      expect(await inserted(page)).toEqual([]);
    }
    if (address !== SESSION) return;
    // The transcript stays visible, however many requests are below it.
    const height = await transcriptOf(page).evaluate(({ clientHeight }) => clientHeight);
    expect(height).toBeGreaterThan(90);
  },
);

it.each(Object.keys(PAGES))(
  "every error from a server is shown as text, at %s",
  async (address) => {
    const page = await rig.open(address, { at: refusing.url, expected: /./u });
    await firstText(page);
    expect(await inserted(page)).toEqual([]);
  },
);

async function firstText(page: Page): Promise<void> {
  await page.getByText("<img").first().waitFor();
}

/** Writes a message that opens a list of suggestions. */
async function write(page: Page, message: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(message);
  await page.getByRole("listbox").getByText("<img").first().waitFor();
}

/** The fields whose text is on the page, in visible text or in attributes. */
function fieldsOn(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const attributes = [...document.querySelectorAll("*")].flatMap((element) =>
      [...element.attributes].map(({ value }) => value),
    );
    const text = [document.title, document.body.textContent, ...attributes].join("\n");
    return [
      ...new Set([...text.matchAll(/ran='([\w.]+)'"/gu)].map(([, place = ""]) => place)),
    ].toSorted();
  });
}

/** Scrolls to the next part of the transcript, or from its end to its beginning. Only the visible part is on the page. */
function scrollTranscript(page: Page): Promise<void> {
  return transcriptOf(page).evaluate((element) => {
    const { scrollTop, scrollHeight, clientHeight } = element;
    const isAtEnd = scrollTop + clientHeight >= scrollHeight - 1;
    element.scrollTop = isAtEnd ? 0 : scrollTop + clientHeight / 2;
  });
}

/** Hostile text that became an element or an address, or that ran. */
function inserted(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const forbidden =
      "b,script:not([src]),iframe,object,embed,base,form[action],[onerror],[onload],[onmouseover]";
    const elements = [...document.body.querySelectorAll(forbidden)].map(
      ({ outerHTML }) => outerHTML,
    );
    const addresses = [...document.querySelectorAll("[href],[src]")]
      .map((element) => element.getAttribute("href") ?? element.getAttribute("src") ?? "")
      .filter((address) => /^\s*(?:javascript|data|vbscript):/iu.test(address));
    const ran = Reflect.get(globalThis, "ran");
    return [...elements, ...addresses, ...(ran === undefined ? [] : [`ran: ${String(ran)}`])];
  });
}
