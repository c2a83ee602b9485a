import { existsSync } from "node:fs";
import path from "node:path";
import { chromium, type Browser, type BrowserServer } from "playwright-core";
import { unpackChromium } from "./packed-chromium.ts";

/** Where the browser is that all test files share. */
export const SHARED_BROWSER = "HOLDFAST_TEST_BROWSER";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  // Nobody else is found, whoever asks.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];
const START_MS = 60_000;
const HELP =
  "The browser tests need Chromium, and none could be started. Install one (apt install chromium), " +
  "or name one: HOLDFAST_CHROMIUM=/path/to/chromium.";

interface Launch {
  readonly executablePath: string;
  readonly args: string[];
  readonly env: Record<string, string | undefined>;
  readonly timeout: number;
}

/** The shared browser, or one of one's own where there is none. */
export function openBrowser(): Promise<Browser> {
  const shared = process.env[SHARED_BROWSER];
  if (shared !== undefined) return chromium.connect(shared, { timeout: START_MS });
  return withChromium((launch) => chromium.launch(launch));
}

export function openBrowserServer(): Promise<BrowserServer> {
  return withChromium((launch) => chromium.launchServer(launch));
}

/** The first that starts: the machine's Chromium, or else the one from npm. */
async function withChromium<Opened>(open: (launch: Launch) => Promise<Opened>): Promise<Opened> {
  const reasons: string[] = [];
  for (const { name, find } of candidates()) {
    try {
      const { file, env } = await find();
      return await open({
        executablePath: file,
        args: FLAGS,
        env: { ...process.env, ...env },
        timeout: START_MS,
      });
    } catch (error) {
      reasons.push(`- ${name}: ${firstLines(error)}`);
    }
  }
  throw new Error(`${HELP}\nTried:\n${reasons.join("\n")}`);
}

interface Candidate {
  readonly name: string;
  find(): Promise<{ readonly file: string; readonly env?: Readonly<Record<string, string>> }>;
}

/** One that was named is the only one. */
function candidates(): readonly Candidate[] {
  const named = process.env["HOLDFAST_CHROMIUM"];
  if (named !== undefined && named !== "") return [installed(named)];
  const folders = ["/usr/bin", ...(process.env["PATH"] ?? "").split(path.delimiter)];
  const found = new Set(
    NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))).filter((file) =>
      existsSync(file),
    ),
  );
  const packed = { name: "@sparticuz/chromium, from npm", find: unpackChromium };
  return [...[...found].map(installed), packed];
}

function installed(file: string): Candidate {
  return { name: file, find: async () => ({ file }) };
}

function firstLines(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n").slice(0, 12).join("\n").slice(0, 1_500);
}
