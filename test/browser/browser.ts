import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { chromium, type Browser, type BrowserServer } from "playwright-core";
import { MissingHere, need } from "../../packages/server/src/domain/testing/machine.ts";
import { findPackedChromium } from "./packed-chromium.ts";

/** Where the browser is that all test files share, or why there is none. */
export const SHARED_BROWSER = "HOLDFAST_TEST_BROWSER";
export const NO_BROWSER = "HOLDFAST_TEST_NO_BROWSER";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const MAC_NAMES = ["Google Chrome", "Chromium"];
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  // Nobody else is found, whoever asks.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];
/** The one from npm dies in the middle of the tests without them. */
const PACKED_FLAGS = ["--no-zygote", "--disable-dev-shm-usage"];
const NAMED = process.env["HOLDFAST_CHROMIUM"] ?? "";
const START_MS = 60_000;
const HELP =
  "no Chromium could be started. Install one (Debian: apt install chromium; macOS: Google Chrome), or " +
  "name one: HOLDFAST_CHROMIUM=/path/to/chromium";

interface Launch {
  readonly executablePath: string;
  readonly args: string[];
  readonly env: Record<string, string | undefined>;
  readonly timeout: number;
}

/** The shared browser, or one of one's own where nobody has looked for one. */
export function openBrowser(): Promise<Browser> {
  need(process.env[NO_BROWSER] ?? null);
  const shared = process.env[SHARED_BROWSER];
  if (shared !== undefined) return chromium.connect(shared, { timeout: START_MS });
  return withChromium((launch) => chromium.launch(launch));
}

export function openBrowserServer(): Promise<BrowserServer> {
  return withChromium((launch) => chromium.launchServer(launch));
}

/** The first that starts: the one from npm, whose version is pinned, or else one that is installed. */
async function withChromium<Opened>(open: (launch: Launch) => Promise<Opened>): Promise<Opened> {
  const reasons: string[] = [];
  for (const { name, find } of candidates()) {
    try {
      const { file, env, flags = [] } = await find();
      return await open({
        executablePath: file,
        args: [...FLAGS, ...flags],
        env: { ...process.env, ...env },
        timeout: START_MS,
      });
    } catch (error) {
      reasons.push(`- ${name}: ${firstLines(error)}`);
    }
  }
  const message = [HELP, ...reasons].join("\n");
  throw NAMED !== "" ? new Error(message) : new MissingHere(message);
}

interface Candidate {
  readonly name: string;
  find(): Promise<{
    readonly file: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly flags?: readonly string[];
  }>;
}

/** One that was named is the only one; that it does not start is a failure. */
function candidates(): readonly Candidate[] {
  if (NAMED !== "") return [installed(NAMED)];
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
  const found = new Set(installedPlaces().filter((file) => existsSync(file)));
  return [...packed, ...[...found].map(installed)];
}

function installedPlaces(): readonly string[] {
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
