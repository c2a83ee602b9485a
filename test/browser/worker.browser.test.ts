import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "./eventually.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";
import { openPageFront } from "./page-front.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

describe("the service worker", () => {
  it("opens the page without the server; the page says so and continues when the server is back", async () => {
    const { id } = await rig.newSession({ title: "Kept at the server" });
    const page = await rig.open("/", { worker: true, expected: /ERR_|Failed to load/u });
    await page.getByRole("link", { name: "Kept at the server" }).waitFor();
    await isCached(page);
    await rig.stop("SIGTERM");
    await page.goto("/");
    await page
      .getByText(/^(?:Reconnecting|Server unreachable, retrying) in/u)
      .first()
      .waitFor();
    await page.getByText("The list could not be loaded").waitFor();
    expect(await page.getByText("Kept at the server").count()).toBe(0);
    await page.goto(`/sessions/${id}`);
    await page.getByText("The session could not be loaded").waitFor();
    await rig.start();
    await page.getByRole("heading", { name: "Kept at the server" }).waitFor();
  });

  it("serves the page without preloads, which would stay unused (C9)", async () => {
    const page = await rig.open("/settings", { worker: true });
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await isCached(page);
    // Chromium warns of each preload that it does not use; the rig reports warnings.
    const served = await page.reload();
    expect(served?.fromServiceWorker()).toBe(true);
    expect(await served?.text()).toContain("<title>Holdfast</title>");
    expect(await served?.text()).not.toContain("preload");
    await page.getByRole("heading", { name: "Settings" }).waitFor();
  });

  it("serves a new build on the next visit, and caches no API response", async () => {
    const front = await openPageFront(rig.url);
    try {
      await rig.newSession({ title: "Kept at the server" });
      const page = await rig.open("/settings", { worker: true, at: front.url, signIn: true });
      await page.getByRole("heading", { name: "Settings" }).waitFor();
      await isCached(page);
      expect(await cachedPage(page)).toContain("<title>Holdfast</title>");
      front.rebuild("Another build");
      await page.reload();
      await eventually(() => cachedPage(page)).toContain("<title>Another build</title>");
      await page.goto("/");
      await page.getByRole("link", { name: "Kept at the server" }).waitFor();
      expect(await page.evaluate(cachedApiResponses)).toEqual([]);
    } finally {
      await front.close();
    }
  });
});

/** Waits until the worker is active, serves this page and has cached everything the page needs. */
async function isCached(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    if (active?.state !== "activated")
      await new Promise((resolve) => active?.addEventListener("statechange", resolve));
  });
  await page.reload();
  await eventually(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(
    true,
  );
}

/** The cached page, as it opens without the server. */
function cachedPage(page: Page): Promise<string> {
  return page.evaluate(async () => {
    for (const name of await caches.keys()) {
      const response = await (await caches.open(name)).match("/index.html", { ignoreSearch: true });
      if (response !== undefined) return response.text();
    }
    return "";
  });
}

async function cachedApiResponses(): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const name of await caches.keys()) {
    const requests = await (await caches.open(name)).keys();
    paths.push(...requests.map(({ url }) => new URL(url).pathname));
  }
  return paths.filter((address) => address.startsWith("/api"));
}
