import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Page } from "playwright-core";
import { figuresOf, type Figures } from "../measure.ts";
import type { Row } from "../report.ts";
import { buildPage } from "./build-page.ts";
import { benchList } from "./list-bench.ts";
import { openBrowser } from "../../test/browser/browser.ts";
import { startPageServer, type PageServer } from "./page-server.ts";
import { taskMs } from "./task-ms.ts";

const MESSAGES = 10_000;
const PER_SECOND = 200;

/** A figure that is not a time. */
export interface Fact {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly atMost: number;
}

export interface WebFigures {
  readonly rows: readonly Row[];
  readonly facts: readonly Fact[];
  /** Load of the machine during the measurement. */
  readonly load: number;
}

/** The transcript in a browser: text arrives much faster than any model writes, in a very long session. */
export async function benchWeb({ seconds }: { readonly seconds: number }): Promise<WebFigures> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-web-bench-"));
  try {
    await buildPage(folder);
    const server = await startPageServer(folder, MESSAGES);
    const { browser, release } = await openBrowser();
    try {
      const list = await benchList(browser, { perSecond: PER_SECOND, seconds });
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      const start = performance.now();
      await page.goto(server.url);
      await page.waitForSelector(".transcript-row .row");
      const opened = figuresOf([performance.now() - start]);
      await readAbove(page, 3_000);
      const older = Number(await page.evaluate("window.bench.driftOfOlder()"));
      await page.evaluate("window.bench.revealAll()");
      const following = await measureStream(page, server, seconds);
      await readAbove(page, 12_000);
      const reading = await measureStream(page, server, seconds);
      const violations = await page.evaluate("window.bench.violations().length");
      return {
        rows: [
          row(`main thread per second, at the end, ${PER_SECOND}/s`, following.cpu, 350),
          row(`main thread per second, scrolled up, ${PER_SECOND}/s`, reading.cpu, 350),
          row("list, from navigation until it accepts keys", list.wall, 1_000),
          row("the same, main thread", list.cpu, null),
          row(`list of 1,000, main thread per second, ${PER_SECOND}/s`, list.updates.cpu, 350),
          row(`open a session of ${MESSAGES.toLocaleString("en")} messages`, opened, null),
        ],
        facts: [
          fact("movement while scrolled up", reading.drift, "px", 0),
          fact("movement when older messages load", older, "px", 0),
          fact("distance from the end, idle", following.distance, "px", 1),
          fact("movement of a list that is updated", list.updates.drift, "px", 0),
          fact("DOM nodes of the list", list.updates.nodes, "", 1_500),
          fact("DOM nodes", Math.max(following.nodes, reading.nodes), "", 5_000),
          fact("violations of the security policy", Number(violations), "", 0),
        ],
        load: loadavg()[0] ?? 0,
      };
    } finally {
      await release();
      await server.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function readAbove(page: Page, pixels: number): Promise<void> {
  const isReading = await page.evaluate(`window.bench.readAbove(${pixels})`);
  if (isReading !== true) throw new Error("there is no row to watch");
}

interface StreamFigures {
  /** CPU time of the page's main thread, independent of other programs. */
  readonly cpu: Figures;
  readonly nodes: number;
  readonly drift: number;
  readonly distance: number;
}

async function measureStream(
  page: Page,
  server: PageServer,
  seconds: number,
): Promise<StreamFigures> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  const streaming = server.stream({ perSecond: PER_SECOND, seconds });
  let isOver = false;
  void streaming.then(() => (isOver = true));
  const cpu: number[] = [];
  let nodes = 0;
  let drift = 0;
  while (!isOver) {
    const start = performance.now();
    const before = await taskMs(devtools);
    await pause(1_000);
    const ms = performance.now() - start;
    cpu.push(((await taskMs(devtools)) - before) / (ms / 1_000));
    nodes = Math.max(nodes, Number(await page.evaluate("window.bench.nodes()")));
    drift = Math.max(drift, Number(await page.evaluate("window.bench.drift()")));
  }
  const length = await streaming;
  await page.waitForFunction(`window.bench.shownLength() === ${length}`);
  await pause(500);
  const distance = Number(await page.evaluate("window.bench.distanceFromEnd()"));
  await devtools.detach();
  return { cpu: figuresOf(cpu), nodes, drift, distance };
}

function row(name: string, holdfast: Figures, belowMs: number | null): Row {
  return { name, holdfast, raw: null, goal: belowMs === null ? null : { of: "p50Ms", belowMs } };
}

function fact(name: string, value: number, unit: string, atMost: number): Fact {
  return { name, value, unit, atMost };
}
