import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openPageRig, type PageRig } from "./page-rig.ts";

const TOKEN = "a-token-of-enough-length-for-a-server";
const SIGNED_OUT = { signIn: false, expected: /401 \(Unauthorized\)/u } as const;

describe("a browser", () => {
  let rig: PageRig;
  beforeAll(async () => {
    rig = await openPageRig({ token: TOKEN });
  });
  afterEach(() => rig.clear());
  afterAll(() => rig.close());

  it("signs in at the printed address once, which leaves the address bar and the history", async () => {
    await rig.newSession({ title: "Behind the sign-in" });
    const { code } = await rig.client.signInCode();
    const page = await rig.open(`/inbox#code=${code}`, SIGNED_OUT);
    await page.getByText("Live", { exact: true }).first().waitFor();
    expect(page.url()).toBe(`${rig.url}/inbox`);
    await page.goto("/");
    await page.getByRole("link", { name: "Behind the sign-in" }).waitFor();
    await page.goBack();
    expect(page.url()).toBe(`${rig.url}/inbox`);
    expect(await page.evaluate(() => document.cookie)).toBe("");
    await page.reload();
    await page.getByText("Live", { exact: true }).first().waitFor();

    const again = await rig.open(`/#code=${code}`, SIGNED_OUT);
    await again.getByText("This sign-in address has been used already.").waitFor();
    await again.getByText("holdfast open", { exact: true }).waitFor();
    expect(again.url()).toBe(`${rig.url}/`);

    const { code: fresh } = await rig.client.signInCode();
    await again.evaluate((hash) => (location.hash = hash), `code=${fresh}`);
    await again.getByText("Live", { exact: true }).first().waitFor();
    expect(again.url()).toBe(`${rig.url}/`);
  });

  it("signs in with the token, does not store it, and signs out in all tabs", async () => {
    await rig.newSession({ title: "Behind the token" });
    await rig.client.browsers.signOutAll();
    const page = await rig.open("/", SIGNED_OUT);
    const box = page.getByLabel("Access token", { exact: true });
    await box.fill("not the right one");
    await page.keyboard.press("Enter");
    await page.getByText("Wrong token").waitFor();
    expect(await page.getByText("Behind the token").count()).toBe(0);

    await box.fill(TOKEN);
    await page.getByRole("button", { name: "Sign in" }).click();
    const row = page.getByRole("link", { name: "Behind the token" });
    await row.waitFor();
    await page.getByText("Live", { exact: true }).first().waitFor();
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(TOKEN);
    await page.reload();
    await row.waitFor();
    expect(await box.count()).toBe(0);

    const other = await rig.open("/settings", { ...SIGNED_OUT, beside: page });
    await other.getByRole("button", { name: "Sign out", exact: true }).click();
    await other.getByLabel("Access token", { exact: true }).waitFor();
    await page.reload();
    await box.waitFor();
    expect(await rig.client.browsers.list()).toEqual({ browsers: [] });
  });

  it("is signed out everywhere by another one", async () => {
    const page = await rig.open("/", { expected: SIGNED_OUT.expected });
    await page.getByText("Live", { exact: true }).first().waitFor();
    const other = await rig.open("/settings", { expected: SIGNED_OUT.expected });
    await other.getByRole("button", { name: "Sign out everywhere" }).click();
    await page.getByLabel("Access token", { exact: true }).waitFor();
  });

  it("exchanges a token that an earlier version stored for a cookie", async () => {
    const page = await rig.open("/favicon.svg", SIGNED_OUT);
    await page.evaluate((token) => localStorage.setItem("holdfast.token", token), TOKEN);
    await page.goto("/");
    await page.getByText("Live", { exact: true }).first().waitFor();
    expect(await page.evaluate(() => localStorage.getItem("holdfast.token"))).toBeNull();
    await page.reload();
    await page.getByText("Live", { exact: true }).first().waitFor();
  });
});

describe("a server without authentication", () => {
  it("needs no sign-in, and says so on every page", async () => {
    const rig = await openPageRig({ auth: "none" });
    try {
      const page = await rig.open("/");
      const warning = page.getByText("Authentication is turned off");
      await warning.waitFor();
      await page.getByText("Live", { exact: true }).first().waitFor();
      await page.getByRole("link", { name: "Settings" }).first().click();
      await page.getByText("The server requires no sign-in.").waitFor();
      expect(await warning.isVisible()).toBe(true);
      await rig.clear();
    } finally {
      await rig.close();
    }
  });
});
