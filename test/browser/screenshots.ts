import { mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { openPageRig, type OpenOptions, type PageRig } from "./page-rig.ts";

/** Takes the screenshots of the README. Run by hand: `node test/browser/screenshots.ts`. */
const FOLDER = path.resolve(import.meta.dirname, "../../docs/images");
const MAX_BYTES = 150_000;

const rig = await openPageRig();
try {
  const id = await fill(rig);
  mkdirSync(FOLDER, { recursive: true });
  const wide: OpenOptions = {};
  const phone: OpenOptions = { phone: true, dark: true };
  await take("list-wide-light", "/", wide);
  await take("session-wide-light", `/sessions/${id}`, wide);
  await take("list-phone-dark", "/", phone);
  await take("session-phone-dark", `/sessions/${id}`, phone);
  await rig.clear();
} finally {
  await rig.close();
}

async function take(name: string, address: string, options: OpenOptions): Promise<void> {
  const page = await rig.open(address, options);
  const content = address === "/" ? page.getByText("Needs you") : page.locator("[data-approval]");
  await content.first().waitFor();
  // New rows fade in.
  await page.waitForTimeout(1_500);
  const file = path.join(FOLDER, `${name}.png`);
  await page.screenshot({ path: file });
  const { size } = statSync(file);
  if (size > MAX_BYTES) throw new Error(`${file} has ${size} bytes`);
  process.stdout.write(`${file} ${size} bytes\n`);
}

/** Creates typical sessions and returns the one that waits for a permission. */
async function fill({ newSession, client, until, root }: PageRig): Promise<string> {
  for (const repo of ["web-shop", "billing"]) {
    mkdirSync(path.join(root, repo, ".git"), { recursive: true });
  }
  const waitUntilIdle = async (id: string): Promise<void> =>
    void (await until(id, ({ state, queued }) => state === "idle" && queued === 0));
  const quiet = [
    { title: "Write the release notes", repo: "billing" },
    { title: "Upgrade the database driver", repo: "billing" },
    { title: "Explain the order pages", repo: "web-shop" },
  ];
  for (const each of quiet) {
    const { id } = await newSession({ ...each, provider: "demo", message: "think about it" });
    await waitUntilIdle(id);
  }
  await newSession({
    title: "Count the flaky tests",
    repo: "billing",
    provider: "demo",
    message: "count to 900",
  });
  const { id } = await newSession({
    title: "Fix the failing build",
    repo: "web-shop",
    provider: "demo",
    message: "Make a plan for the failing build.",
  });
  await waitUntilIdle(id);
  await client.sessions.send(id, { text: 'Write it down: "The build is green again."' });
  await until(id, ({ state }) => state === "suspended");
  return id;
}
