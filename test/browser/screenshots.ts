import { mkdirSync, statSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { installAgent, type InstalledAgent } from "../agents/install-agent.ts";
import { REAL_AGENTS } from "../agents/real-agents.ts";
import { openRig, type Rig } from "../agents/rig.ts";
import { talkIn, type Talk } from "../agents/session-driver.ts";
import { openBrowser } from "./browser.ts";
import { openPagePool, type ContextOptions } from "./page-pool.ts";
import { createModel, WISHES, writeRepository } from "./screenshot-story.ts";
import { signInPage } from "./sign-in-page.ts";

/**
 * Takes the screenshots of the README: real agents at work in a real repository; only their models are fake. Run by hand:
 * `node test/browser/screenshots.ts`, after `npm run build`.
 */
const FOLDER = path.resolve(import.meta.dirname, "../../docs/images");
const MAX_BYTES = 250_000;
const AGENTS = ["claude", "opencode"];

let model: ReturnType<typeof createModel> | null = null;
const rig = await openRig(await installed(), {
  isSandboxed: false,
  decide: (asked) => {
    if (model === null) throw new Error("the repository is not written yet");
    return model(asked);
  },
});
const { browser, release } = await openBrowser();
const pages = openPagePool(browser);
try {
  const flaky = await fill(rig);
  mkdirSync(FOLDER, { recursive: true });
  const wide: ContextOptions = {};
  const phone: ContextOptions = { phone: true, dark: true };
  const session = `/sessions/${flaky.id}`;
  const isAsked = (page: Page) => page.locator("[data-approval]").first().waitFor();
  const isListed = (page: Page) => page.getByText("Needs you").first().waitFor();
  await take("session-wide-light", session, { options: wide, shown: isAsked });
  await take("list-wide-light", "/", { options: wide, shown: isListed });
  await take("inbox-wide-dark", "/inbox", { options: { dark: true }, shown: isAsked });
  await take("list-phone-dark", "/", { options: phone, shown: isListed });
  await take("session-phone-dark", session, { options: phone, shown: isAsked });
  await allowAll(flaky);
  await take("panel-wide-dark", session, { options: { dark: true }, shown: openFiles });
} finally {
  await pages.close();
  await release();
  await rig.close();
}

async function take(
  name: string,
  address: string,
  {
    options,
    shown,
  }: { readonly options: ContextOptions; readonly shown: (page: Page) => Promise<void> },
): Promise<void> {
  const page = await pages.take(rig.url, options);
  await signInPage(page, { url: rig.url, code: await rig.client.signInCode() });
  if (options.phone !== true) await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(rig.url + address);
  await shown(page);
  // New rows fade in.
  await page.waitForTimeout(1_500);
  const file = path.join(FOLDER, `${name}.png`);
  await page.screenshot({ path: file });
  const { size } = statSync(file);
  if (size > MAX_BYTES) throw new Error(`${file} has ${size} bytes`);
  process.stdout.write(`${file} ${size} bytes\n`);
}

async function installed(): Promise<readonly InstalledAgent[]> {
  const agents = REAL_AGENTS.filter(({ name }) => AGENTS.includes(name));
  return Promise.all(
    agents.map(async (agent) => {
      const result = await installAgent(agent);
      if (!result.ok) throw new Error(`${agent.name} could not be installed: ${result.why}`);
      return result.agent;
    }),
  );
}

async function openFiles(page: Page): Promise<void> {
  await page.getByText("All three tests pass.").waitFor();
  await page.getByRole("button", { name: /^Panel/u }).click();
  await page
    .getByRole("button", { name: /retry\.js/u })
    .first()
    .click();
  await page.getByText("Without chance").last().waitFor();
}

/** Creates typical sessions, and returns the one that waits for a permission. */
async function fill({ client, root }: Rig): Promise<Talk> {
  const shop = path.join(root, "web-shop");
  mkdirSync(shop, { recursive: true });
  writeRepository(shop);
  model = createModel(shop);
  const { id: repoId } = await client.repos.add({ path: "web-shop" });
  const begin = async (provider: string, title: string): Promise<Talk> => {
    const { id } = await client.sessions.create({ repoId, provider, title });
    return talkIn(rig, id);
  };
  const explained = await begin("claude", "Orders and webhooks");
  await finish(explained, WISHES.explain);
  const notes = await begin("opencode", "Release notes of 2.4");
  await finish(notes, WISHES.notes);
  const rename = await begin("claude", "Rename custId");
  await finish(rename, WISHES.rename);
  const upgrade = await begin("claude", "Upgrade the database driver");
  await upgrade.send(WISHES.upgrade);
  const flaky = await begin("claude", "Flaky webhook tests");
  await finish(flaky, WISHES.why);
  await flaky.send(WISHES.mend);
  await flaky.permission();
  return flaky;
}

async function finish(session: Talk, text: string): Promise<void> {
  await session.send(text);
  await allowAll(session);
}

/** Allows everything until the run ends. */
async function allowAll(session: Talk): Promise<void> {
  for (;;) {
    const permission = await session.permissionOrIdle();
    if (permission === null) return;
    await session.answer(permission, "allow_once");
  }
}
