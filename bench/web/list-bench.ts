import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser } from "playwright-core";
import { fillDatabase } from "../fill-database.ts";
import { figuresOf, type Figures } from "../measure.ts";
import { startServer } from "../server-process.ts";
import { taskMs } from "./task-ms.ts";
import { createClient } from "../../packages/client/src/index.ts";
import { SERVER_TOKEN } from "../../packages/server/src/http/testing/server-token.ts";
import { signInPage } from "../../test/browser/sign-in-page.ts";

export interface ListFigures {
  readonly wall: Figures;
  /** CPU time of the page's main thread, independent of other programs. */
  readonly cpu: Figures;
}

const SESSIONS = 1_000;
const VISITS = 10;

/** Time from navigation until the list is shown and accepts keys, with an empty cache. */
export async function benchList(browser: Browser): Promise<ListFigures> {
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

async function visitList(browser: Browser, url: string): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    serviceWorkers: "block",
  });
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
