import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { say } from "../../packages/server/src/providers/testing/script.ts";
import type { ScriptedAuth } from "../../packages/server/src/providers/testing/scripted-options.ts";
import { eventually } from "./eventually.ts";
import { openPageRig, type OpenOptions, type PageRig } from "./page-rig.ts";

const credentials = path.join(tmpdir(), `holdfast-login-page-${randomUUID()}`);
const AUTH: ScriptedAuth = {
  methods: [
    { id: "terminal", name: "Subscription", type: "terminal", args: ["--login"] },
    { id: "device", name: "Device code" },
    { id: "key", name: "Key", vars: [{ name: "LOCKED_KEY" }] },
  ],
  accepts: "device",
  file: credentials,
  page: {
    url: "https://login.example.org/device",
    message: "Sign in and enter this code: WDJB-MJHT",
    waits: true,
  },
  reportsStatus: true,
};
const SCREENS: readonly (readonly [string, OpenOptions])[] = [
  ["on a wide screen", {}],
  ["on a phone", { phone: true }],
];

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig({ agents: { locked: { title: "Locked agent", auth: AUTH } } });
});
afterEach(async () => {
  rmSync(credentials, { force: true });
  await rig.clear();
});
afterAll(() => rig.close());

/** A new card ignores clicks for a moment. */
const ready = (button: Locator): Promise<void> =>
  eventually(() => button.getAttribute("aria-disabled")).toBe("false");

async function openWaiting(): Promise<string> {
  const { id } = await rig.newSession({ provider: "locked", steps: [say("logged in at last")] });
  await rig.until(id, ({ suspension }) => suspension?.kind === "login");
  return id;
}

describe("a login that a run waits for", () => {
  it.each(SCREENS)("D1 shows the command, page and code, %s", async (_, screen) => {
    const id = await openWaiting();
    const page = await rig.open(`/sessions/${id}`, screen);
    const card = page.locator("[data-approval]");
    await card.getByText("Login needed").waitFor();
    await card.getByText("holdfast login locked", { exact: true }).waitFor();
    await card.getByText("Or set LOCKED_KEY for the server").waitFor();
    await card.getByRole("button", { name: "Device code" }).click();
    const link = card.getByRole("link", { name: "https://login.example.org/device" });
    await link.waitFor();
    expect(await link.getAttribute("rel")).toContain("noopener");
    await card.getByText("WDJB-MJHT", { exact: true }).waitFor();
    writeFileSync(credentials, "");
    await page.getByText("logged in at last").waitFor();
    await page.goto("/settings");
    await page.getByText("Logged in: Scripted Plus (ada@example.org)").waitFor();
  });

  it("D1 is in the inbox; a person tries again or ends the run there", async () => {
    const id = await openWaiting();
    const page = await rig.open("/inbox");
    const card = page.locator("[data-approval]");
    await card.getByText("Login needed").waitFor();
    const [before] = (await rig.client.suspensions()).suspensions;
    const again = card.getByRole("button", { name: "Try again" });
    await ready(again);
    await again.click();
    await rig.until(
      id,
      ({ suspension }) => suspension?.kind === "login" && suspension.id !== before?.id,
    );
    await page.reload();
    const end = card.getByRole("button", { name: "End the run" });
    await ready(end);
    await end.click();
    const { lastError } = await rig.until(id, ({ state }) => state === "idle");
    expect(lastError).toContain("requires a login");
  });
});
