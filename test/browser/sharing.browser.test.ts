import path from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { createClient } from "../../packages/client/src/index.ts";
import { newRepository } from "../../packages/server/src/git/testing/new-repository.ts";
import { say, script, write } from "../../packages/server/src/providers/testing/script.ts";
import { eventually } from "./eventually.ts";
import { faultsOf } from "./page-faults.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";
import { transcriptOf } from "./transcript-page.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

const GUEST = { signIn: false, expected: /40[13] \((Unauthorized|Forbidden)\)/u } as const;

it("shares a session as a link that shows it live, and nothing else, until it is revoked (C9)", async () => {
  newRepository(path.join(rig.root, "shared"), { "a.txt": "one\n" });
  const { id } = await rig.newSession({ title: "Worth a look", repo: "shared" });
  const first = `Change it\n${script(write("a.txt", "two\n"), say("It is changed."))}`;
  await rig.client.sessions.send(id, { text: first });
  await rig.until(id, ({ changes, state }) => changes !== null && state === "idle");
  const owner = await rig.open(`/sessions/${id}`);
  await owner.getByRole("button", { name: "More", exact: true }).click();
  await owner.getByRole("menuitem", { name: "Share…" }).click();
  const dialog = owner.getByRole("dialog", { name: "Share this session" });
  await dialog.getByLabel("The link works for").selectOption("1 day");
  await dialog.getByRole("button", { name: "Create link" }).click();
  const href = await dialog.getByRole("textbox", { name: "Link" }).inputValue();
  await dialog.getByText("Links that work").waitFor();
  expect(await faultsOf(owner, "the dialog that shares a session")).toEqual([]);

  const guest = await rig.open(href, GUEST);
  await transcriptOf(guest).getByText("It is changed.", { exact: true }).waitFor();
  await guest.getByRole("heading", { name: "Worth a look" }).waitFor();
  expect(await guest.getByRole("textbox").count()).toBe(0);
  expect(await faultsOf(guest, "a shared session")).toEqual([]);
  await rig.client.sessions.send(id, { text: `Go on\n${script(say("It goes on."))}` });
  await transcriptOf(guest).getByText("It goes on.", { exact: true }).waitFor();
  await guest.getByRole("button", { name: /^Changes: / }).click();
  await guest.getByRole("figure", { name: "Changes in a.txt" }).getByText("Added: two").waitFor();
  expect(await guest.getByRole("button", { name: /^Comment/u }).count()).toBe(0);

  const token = new URL(href).hash.slice(1);
  const stranger = createClient({ url: rig.url, token });
  await expect(stranger.sessions.list()).rejects.toMatchObject({ code: "forbidden" });
  await expect(stranger.sessions.send(id, { text: "Hi" })).rejects.toMatchObject({ status: 403 });

  await dialog.getByRole("button", { name: "Revoke" }).click();
  await dialog.getByText("Links that work").waitFor({ state: "detached" });
  await guest.reload();
  await guest.getByText("This link does not work").waitFor();
});

it("copies its own link and links to messages, which open there with the token (C9)", async () => {
  const steps = [say(Array.from({ length: 90 }, (_, line) => `Line ${line}.`).join("\n\n"))];
  const { id } = await rig.newSession({ title: "To pass on", steps });
  await rig.until(id, ({ state, messages }) => state === "idle" && messages.length > 1);
  const { token } = await rig.client.tokens.create({ name: "l", scope: "read", sessionId: id });
  const href = `${rig.url}/shared/${id}#${token}`;
  const page = await rig.open(href, GUEST);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: rig.url });
  await transcriptOf(page).getByText("Line 89.", { exact: true }).waitFor();
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole("button", { name: "Copy link", exact: true }).click();
  await eventually(copied).toBe(href);
  await transcriptOf(page).focus();
  const own = transcriptOf(page).getByRole("article", { name: "You" });
  await eventually(async () => {
    await page.keyboard.press("Home");
    return own.count();
  }).toBe(1);
  await own.hover();
  await own.getByRole("button", { name: "Copy link to this message" }).click();
  await eventually(async () => (await copied()).startsWith(`${href}/`)).toBe(true);
  const link = await copied();
  expect(await page.getByRole("link", { name: "Link to this message" }).count()).toBe(0);
  const other = await rig.open(link, { ...GUEST, phone: true });
  await eventually(() =>
    transcriptOf(other)
      .getByRole("article", { name: "You" })
      .evaluateAll(([first]) => (first?.getBoundingClientRect().bottom ?? -1) > 0),
  ).toBe(true);
});

it("shows a shared session on a phone (C9)", async () => {
  const { id } = await rig.newSession({ title: "Small", steps: [say("Seen.")] });
  const { token } = await rig.client.tokens.create({ name: "l", scope: "read", sessionId: id });
  const page = await rig.open(`/shared/${id}#${token}`, { ...GUEST, phone: true, dark: true });
  await transcriptOf(page).getByText("Seen.", { exact: true }).waitFor();
  expect(await faultsOf(page, "a shared session on a phone")).toEqual([]);
});

it("creates a token in the settings, shows it once, and revokes it (C9)", async () => {
  const page = await rig.open("/settings");
  const tokens = page.getByRole("region", { name: "API tokens" });
  await tokens.getByRole("button", { name: "Create a token" }).click();
  await tokens.getByLabel("Name").fill("The board");
  await tokens.getByLabel("Scope").selectOption("send");
  await page.keyboard.press("Tab");
  await tokens.getByLabel("Expires").selectOption("In 7 days");
  await tokens.getByRole("button", { name: "Create", exact: true }).click();
  const secret = await tokens.getByLabel("The token “The board”").inputValue();
  expect(await faultsOf(page, "a new token")).toEqual([]);
  await tokens.getByRole("button", { name: "Done" }).click();
  expect(await page.getByText(secret).count()).toBe(0);
  const program = createClient({ url: rig.url, token: secret });
  expect((await program.sessions.list()).total).toBe(0);
  const row = tokens.getByRole("listitem").filter({ hasText: "The board" });
  expect(await row.textContent()).toMatch(/send.*expires/u);
  await tokens.getByRole("button", { name: "Revoke The board" }).click();
  await row.waitFor({ state: "detached" });
  await expect(program.sessions.list()).rejects.toMatchObject({ status: 401 });
});
