import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { chromium, type Browser, type BrowserServer } from "playwright-core";
import { MissingHere, need } from "../../packages/server/src/domain/testing/machine.ts";
import { findPackedChromium } from "./packed-chromium.ts";

/** Environment variables: the address of the browser that all test files share, or the reason why there is none. */
export const SHARED_BROWSER = "HOLDFAST_TEST_BROWSER";
export const NO_BROWSER = "HOLDFAST_TEST_NO_BROWSER";

/** The headless shell has no browser window and takes a third less processor time. */
const NAMES = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
];
const MAC_NAMES = ["Google Chrome", "Chromium"];
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  // No other host resolves.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];
/** Without these, the Chromium from npm crashed in the middle of the tests. */
const PACKED_FLAGS = ["--no-zygote", "--disable-dev-shm-usage"];
const CONFIGURED = process.env["HOLDFAST_CHROMIUM"] ?? "";
/** For every wait for a state: long, because the machine may have other work. Shorter than the timeout of a test. */
export const WAIT_MS = 200_000;
const HELP =
  "No Chromium could be started. Install one (Debian: apt install chromium; macOS: Google Chrome), or " +
  "set HOLDFAST_CHROMIUM=/path/to/chromium";

interface Launch {
  readonly executablePath: string;
  readonly args: string[];
  readonly env: Record<string, string | undefined>;
  readonly timeout: number;
}

export interface OpenedBrowser {
  readonly browser: Browser;
  /** Closes the browser if it is not shared. */
  release(): Promise<void>;
}

/** Connecting takes longer than opening a page. */
let connection: Promise<Browser> | null = null;

/** The shared browser, or a new one if no shared browser was started. */
export async function openBrowser(): Promise<OpenedBrowser> {
  need(process.env[NO_BROWSER] ?? null);
  const shared = process.env[SHARED_BROWSER];
  if (shared !== undefined) {
    connection ??= chromium.connect(shared, { timeout: WAIT_MS });
    return { browser: await connection, release: async () => {} };
  }
  const browser = await withChromium((launch) => chromium.launch(launch));
  return { browser, release: () => browser.close() };
}

export function openBrowserServer(): Promise<BrowserServer> {
  return withChromium((launch) => chromium.launchServer(launch));
}

/**
 * Opens the first Chromium that starts: the pinned one from npm, then an installed one. Without any the tests
 * are skipped. A Chromium that runs on this machine but does not open is a failure; so is a configured one.
 */
async function withChromium<Opened>(open: (launch: Launch) => Promise<Opened>): Promise<Opened> {
  const reasons: string[] = [];
  let isBroken = CONFIGURED !== "";
  for (const { name, find } of candidates()) {
    try {
      const { file, env: added, flags = [] } = await find();
      const env = { ...process.env, ...added };
      const reason = whyUnusable(file, env);
      if (reason !== null) {
        reasons.push(`- ${name}: ${reason}`);
        continue;
      }
      return await open({
        executablePath: file,
        args: [...FLAGS, ...flags],
        env,
        timeout: WAIT_MS,
      });
    } catch (error) {
      isBroken = true;
      reasons.push(`- ${name}: ${firstLines(error)}`);
    }
  }
  const message = [HELP, ...reasons].join("\n");
  throw isBroken ? new Error(message) : new MissingHere(message);
}

/** `--version` fails for a program of another system, and for a stub that only names the package to install. */
function whyUnusable(file: string, env: NodeJS.ProcessEnv): string | null {
  const { status, stderr, error } = spawnSync(file, ["--version"], { env, encoding: "utf8" });
  if (status === 0) return null;
  return error?.message ?? `\`--version\` exited with ${status}: ${stderr.trim().slice(0, 300)}`;
}

interface Candidate {
  readonly name: string;
  find(): Promise<{
    readonly file: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly flags?: readonly string[];
  }>;
}

/** A configured browser is the only candidate. */
function candidates(): readonly Candidate[] {
  if (CONFIGURED !== "") return [installed(CONFIGURED)];
  const unpack = findPackedChromium();
  const packed: readonly Candidate[] =
    unpack === null
      ? []
      : [
          {
            name: "@sparticuz/chromium, from npm",
            find: async () => ({ ...(await unpack()), flags: PACKED_FLAGS }),
          },
        ];
  const files = new Set(installedPaths().filter((file) => existsSync(file)));
  return [...packed, ...[...files].map(installed)];
}

function installedPaths(): readonly string[] {
  const folders = ["/usr/bin", ...(process.env["PATH"] ?? "").split(path.delimiter)];
  const onPath = NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  if (process.platform !== "darwin") return onPath;
  const applications = ["/Applications", path.join(homedir(), "Applications")].flatMap((folder) =>
    MAC_NAMES.map((name) => path.join(folder, `${name}.app`, "Contents", "MacOS", name)),
  );
  return [...applications, ...onPath];
}

function installed(file: string): Candidate {
  return { name: file, find: async () => ({ file }) };
}

function firstLines(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n").slice(0, 12).join("\n").slice(0, 1_500);
}
