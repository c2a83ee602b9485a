import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { openPageRig, type PageRig } from "./page-rig.ts";

const TOKEN = "a-token-of-enough-length-for-a-server";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig({ token: TOKEN });
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

it("the user signs in with the token once per browser, and signs out in all tabs", async () => {
  await rig.newSession({ title: "Behind the token" });
  const page = await rig.open("/", { expected: /401 \(Unauthorized\)/u });
  const box = page.getByLabel("Access token", { exact: true });
  await box.fill("not the right one");
  await page.keyboard.press("Enter");
  await page.getByText("Wrong token").waitFor();
  expect(await page.getByText("Behind the token").count()).toBe(0);

  await box.fill(TOKEN);
  await page.getByRole("button", { name: "Sign in" }).click();
  const row = page.getByRole("link", { name: "Behind the token" });
  await row.waitFor();
  await page.getByText("Live", { exact: true }).waitFor();
  await page.reload();
  await row.waitFor();
  expect(await box.count()).toBe(0);

  const other = await rig.open("/settings", { beside: page, expected: /401 \(Unauthorized\)/u });
  await other.getByRole("button", { name: "Sign out" }).click();
  await other.getByLabel("Access token", { exact: true }).waitFor();
  await page.reload();
  await box.waitFor();
});
