import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { fillMessages, fillSessions, sessionId } from "../../bench/fill.ts";
import { openMigrations, openStore } from "../../packages/server/src/storage/open-store.ts";
import { repeat } from "../../packages/server/src/domain/testing/repeat.ts";
import type { Store } from "../../packages/server/src/storage/store.ts";
import { beginSession } from "../../packages/server/src/storage/testing/session-driver.ts";
import { eventually } from "./eventually.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";
import { anchorIn, distanceFromEnd, transcriptOf } from "./transcript-page.ts";

const MESSAGES = repeat({ short: 2_000, long: 10_000 });
const SESSIONS = 300;
const LONG = sessionId(0);
const DECIDED = "decided";
const LATER = 1_500;

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig({ prepare: fill });
});
afterEach(() => rig.clear({ keepSessions: true }));
afterAll(() => rig.close());

/** Writes directly into the database: sending so many messages would take too long. */
async function fill(data: string): Promise<void> {
  const location = { engine: "sqlite", file: path.join(data, "holdfast.db") } as const;
  await (await openMigrations(location)).up();
  const store = await openStore(location, { clock: Date.now });
  await fillSessions(store, SESSIONS);
  await fillMessages(store, { id: LONG, count: MESSAGES });
  await fillDecision(store);
  await store.close();
}

/** A session whose first tool call was allowed, with many messages and changes of status after it. */
async function fillDecision(store: Store): Promise<void> {
  const { id: repoId } = await store.addRepo({ id: "r", path: "/r", name: "r", createdAt: 1 });
  const session = await beginSession(store, { id: DECIDED, repoId, title: "Decided" });
  const run = await session.run("Edit it.");
  await session.claim();
  const content = {
    type: "tool",
    tool: "edit",
    title: "Edit a.ts",
    callId: "c1",
    status: "completed",
  };
  const call = { id: `${DECIDED}-call`, role: "system", content } as const;
  await session.put(run, { put: "message", message: call, complete: true });
  const options = [{ optionId: "yes", name: "Allow", kind: "allow_once" }];
  const { id: suspensionId } = await session.suspend(run, {
    request: { title: "Edit a.ts", toolCallId: "c1", options },
  });
  await session.perform({ type: "answer", suspensionId, answer: "yes", by: "browser" });
  const texts = Array.from({ length: LATER }, (_, index) => ({
    put: "message" as const,
    message: {
      id: `${DECIDED}-${index}`,
      role: "agent" as const,
      content: { type: "text", text: `Message ${index}: words.` },
    },
    complete: true,
  }));
  await session.put(run, ...texts);
  await session.end(run);
}

it("a decision stands at its tool call, however old it is, also after a reload (C9)", async () => {
  const page = await rig.open(`/sessions/${DECIDED}`);
  const transcript = transcriptOf(page);
  await transcript.getByText(`Message ${LATER - 1}:`).waitFor();
  await page.reload();
  await transcript.getByText(`Message ${LATER - 1}:`).waitFor();
  await transcript.focus();
  const decision = transcript.getByText(/^Allowed by you, \d/u);
  await eventually(async () => {
    await page.keyboard.press("Home");
    return decision.count();
  }).toBe(1);
  // It is the place that was read last.
  await page.reload();
  await decision.waitFor();
});

describe(`a session of ${MESSAGES} messages`, () => {
  it("opens at its end, with few elements, and scrolls to its beginning", async () => {
    const page = await rig.open(`/sessions/${LONG}`);
    const transcript = transcriptOf(page);
    const message = (number: number) => transcript.getByText(`Message ${number}:`).first();
    await message(MESSAGES - 1).waitFor();
    await eventually(() => distanceFromEnd(page)).toBeLessThanOrEqual(1);
    const elements = () => page.evaluate(() => document.querySelectorAll("*").length);
    expect(await elements()).toBeLessThan(5_000);

    await transcript.hover();
    const first = await topmost(page);
    for (let turn = 0; turn < 10; turn += 1) await page.mouse.wheel(0, -800);
    await eventually(() => topmost(page)).toBeLessThan(first - 20);
    expect(await elements()).toBeLessThan(5_000);

    await transcript.focus();
    await eventually(async () => {
      await page.keyboard.press("Home");
      return message(0).count();
    }).toBeGreaterThan(0);
    expect(await elements()).toBeLessThan(5_000);
  });

  it("reads its end first, compressed, older messages when they are needed, and keeps the reading place (C9)", async () => {
    const page = await rig.open("/");
    const reads: string[] = [];
    page.on("response", (response) => {
      const { pathname, searchParams } = new URL(response.url());
      if (!pathname.startsWith(`/api/sessions/${LONG}`) || pathname.endsWith("/events")) return;
      reads.push(
        `${pathname.slice(`/api/sessions/${LONG}`.length)}?tail=${searchParams.get("tail")}`,
      );
    });
    const opened = page.waitForResponse((response) => response.url().includes("tail="));
    await page.goto(`/sessions/${LONG}`);
    const reply = await opened;
    expect(await reply.headerValue("content-encoding")).toMatch(/^(?:gzip|br|zstd)$/u);
    const { length } = await reply.body();
    expect(length).toBeLessThan(400_000);
    const transcript = transcriptOf(page);
    const message = (number: number) => transcript.getByText(`Message ${number}:`).first();
    await message(MESSAGES - 1).waitFor();
    expect(reads.filter((each) => each.startsWith("?") || each.startsWith("/messages"))).toEqual([
      "?tail=200",
    ]);
    await transcript.focus();
    await eventually(async () => {
      await page.keyboard.press("PageUp");
      return reads.filter((each) => each.startsWith("/messages")).length;
    }).toBeGreaterThan(0);
    await page.getByText("Loading older messages…").waitFor({ state: "detached" });
    const anchor = await anchorIn(page);
    const before = await anchor.top();
    await eventually(() => anchor.top()).toBe(before);
    await eventually(async () => {
      await page.keyboard.press("Home");
      return message(0).count();
    }).toBeGreaterThan(0);
    await page.reload();
    await message(0).waitFor();
  });

  it("is searched completely, from the newest hit to older ones and back", async () => {
    const page = await rig.open(`/sessions/${LONG}`);
    const transcript = transcriptOf(page);
    await transcript
      .getByText(`Message ${MESSAGES - 1}:`)
      .first()
      .waitFor();
    await page.keyboard.press("Control+f");
    const find = page.getByRole("searchbox", { name: "Find in this session" });
    await find.fill("message 123");
    await page.getByText("11 of 11").first().waitFor();
    await transcript.getByText("Message 1239:").first().waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("10 of 11").first().waitFor();
    await transcript.getByText("Message 1238:").first().waitFor();
    await page.keyboard.press("Shift+Enter");
    await page.getByText("11 of 11").first().waitFor();
    await find.fill("message 42:");
    await page.getByText("1 of 1", { exact: true }).first().waitFor();
    await transcript.getByText("Message 42:").first().waitFor();
    await find.fill("nobody has said this");
    await page.getByText("Not found").first().waitFor();
    await page.keyboard.press("Escape");
    await find.waitFor({ state: "detached" });
  });

  it("opens at the message in its address", async () => {
    const number = MESSAGES / 2;
    const page = await rig.open(`/sessions/${LONG}#${LONG}-message-${number}`);
    const target = transcriptOf(page).getByText(`Message ${number}:`).first();
    await target.waitFor();
    await eventually(() =>
      target.evaluate((element) => {
        const { top } = element.getBoundingClientRect();
        return top > 0 && top < innerHeight;
      }),
    ).toBe(true);
  });

  async function topmost(page: Awaited<ReturnType<PageRig["open"]>>): Promise<number> {
    const text = await transcriptOf(page).textContent();
    return Number(/Message (\d+):/u.exec(text ?? "")?.[1] ?? Number.NaN);
  }
});

describe("a list of many sessions", () => {
  it("scrolls page by page to its end, with few elements", async () => {
    const page = await rig.open("/");
    const rows = page.getByRole("list", { name: "Sessions" });
    await rows.getByRole("link").first().waitFor();
    await rows.hover();
    const oldest = rows.getByRole("link", { name: "Session number 2", exact: true });
    await eventually(async () => {
      await page.mouse.wheel(0, 2_000);
      return oldest.count();
    }).toBe(1);
    expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(2_000);
  });
});
