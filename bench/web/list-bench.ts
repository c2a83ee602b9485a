import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser } from "playwright-core";
import { fillDatabase } from "../fill-database.ts";
import { figuresOf, type Figures } from "../measure.ts";
import { startServer } from "../server-process.ts";
import { taskMs } from "./task-ms.ts";
import { setTimeout as pause } from "node:timers/promises";
import { createClient, type Client } from "../../packages/client/src/index.ts";
import type { SessionList } from "../../packages/protocol/src/index.ts";
import { SERVER_TOKEN } from "../../packages/server/src/http/testing/server-token.ts";
import { signInPage } from "../../test/browser/sign-in-page.ts";

export interface ListFigures {
  /** Time from navigation until the list is shown and accepts keys, with an empty cache. */
  readonly wall: Figures;
  /** CPU time of the page's main thread, independent of other programs. */
  readonly cpu: Figures;
  readonly updates: UpdateFigures;
}

/** The whole list, scrolled to its middle, while its sessions change. */
interface UpdateFigures {
  /** CPU time of the main thread per second. */
  readonly cpu: Figures;
  /** How far the row at the top has moved, in pixels. */
  readonly drift: number;
  readonly nodes: number;
}

const SESSIONS = 1_000;
const VISITS = 10;

export async function benchList(
  browser: Browser,
  updates: { readonly perSecond: number; readonly seconds: number },
): Promise<ListFigures> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-list-bench-"));
  try {
    const data = path.join(folder, "data");
    mkdirSync(data, { mode: 0o700 });
    await fillDatabase(
      { engine: "sqlite", file: path.join(data, "holdfast.db") },
      { sessions: SESSIONS, isOpen: true },
    );
    const server = await startServer(data, { AGENT_WORKSPACE_ROOT: folder });
    try {
      const visits: Visit[] = [];
      while (visits.length < VISITS) visits.push(await visitList(browser, server.url));
      return {
        wall: figuresOf(visits.map(({ wallMs }) => wallMs)),
        cpu: figuresOf(visits.map(({ cpuMs }) => cpuMs)),
        updates: await updateList(browser, server.url, updates),
      };
    } finally {
      await server.kill();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Presses J in every frame until it moves the focus to a row. Measured by the page's clock, which starts with it. */
const PRESS_UNTIL_IT_WORKS = `
  globalThis.interactiveMs = new Promise((resolve) => {
    const press = () => {
      if (document.activeElement?.hasAttribute("data-row")) return resolve(performance.now());
      document.body?.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true }));
      requestAnimationFrame(press);
    };
    requestAnimationFrame(press);
  });
`;

interface Visit {
  readonly wallMs: number;
  readonly cpuMs: number;
}

const CONTEXT = { viewport: { width: 1280, height: 800 }, serviceWorkers: "block" } as const;

async function visitList(browser: Browser, url: string): Promise<Visit> {
  const context = await browser.newContext(CONTEXT);
  try {
    const page = await context.newPage();
    const client = createClient({ url, token: SERVER_TOKEN });
    await signInPage(page, { url, code: await client.signInCode() });
    const devtools = await context.newCDPSession(page);
    await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
    await page.addInitScript(PRESS_UNTIL_IT_WORKS);
    await page.goto(url);
    const wallMs = Number(await page.evaluate("globalThis.interactiveMs"));
    return { wallMs, cpuMs: await taskMs(devtools) };
  } finally {
    await context.close();
  }
}

/** Scrolls until all rows are loaded, then to the middle, and remembers the row at the top. */
const READ_THE_MIDDLE = `
  (async () => {
    const list = document.querySelector('[aria-label="Sessions"]');
    const scroller = list.parentElement;
    const frame = () => new Promise(requestAnimationFrame);
    while (document.querySelector('[aria-setsize="-1"]') !== null) {
      scroller.scrollTop = scroller.scrollHeight;
      await frame();
    }
    scroller.scrollTop = scroller.scrollHeight / 2;
    for (let count = 0; count < 10; count += 1) await frame();
    const top = () => scroller.getBoundingClientRect().y;
    const rows = [...list.querySelectorAll("[data-row]")];
    const row = rows.find((each) => each.getBoundingClientRect().y > top());
    const id = row.getAttribute("data-row");
    const before = row.getBoundingClientRect().y;
    globalThis.drift = () => {
      const now = list.querySelector('[data-row="' + id + '"]');
      return now === null ? Infinity : Math.abs(now.getBoundingClientRect().y - before);
    };
  })()
`;

async function updateList(
  browser: Browser,
  url: string,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<UpdateFigures> {
  const client = createClient({ url, token: SERVER_TOKEN });
  const ids = await allIds(client);
  const context = await browser.newContext(CONTEXT);
  try {
    const page = await context.newPage();
    await signInPage(page, { url, code: await client.signInCode() });
    await page.goto(url);
    await page.waitForSelector("[data-row]");
    await page.evaluate(READ_THE_MIDDLE);
    const devtools = await context.newCDPSession(page);
    await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
    const cpu: number[] = [];
    let count = 0;
    for (let second = 0; second < seconds; second += 1) {
      const [start, before] = [performance.now(), await taskMs(devtools)];
      const sent: Promise<unknown>[] = [];
      for (let index = 0; index < perSecond; index += 1) {
        const waitMs = start + (index * 1_000) / perSecond - performance.now();
        if (waitMs > 1) await pause(waitMs);
        const id = ids[(count += 1) % ids.length] ?? "";
        sent.push(client.sessions.update(id, { title: `Changed ${count} times` }));
      }
      await Promise.all(sent);
      cpu.push(((await taskMs(devtools)) - before) / ((performance.now() - start) / 1_000));
    }
    return {
      cpu: figuresOf(cpu),
      drift: Number(await page.evaluate("globalThis.drift()")),
      nodes: Number(await page.evaluate("document.getElementsByTagName('*').length")),
    };
  } finally {
    await context.close();
  }
}

async function allIds(client: Client): Promise<readonly string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const list: SessionList = await client.sessions.list({
      limit: 100,
      ...(cursor !== null && { cursor }),
    });
    ids.push(...list.sessions.map(({ id }) => id));
    cursor = list.nextCursor;
  } while (cursor !== null);
  return ids;
}
