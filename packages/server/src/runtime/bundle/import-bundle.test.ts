import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../domain/json.ts";
import { FAILED, NOON } from "../../domain/testing/commands.ts";
import { countRows } from "../../storage/testing/raw-database.ts";
import { beginSession, textOf } from "../../storage/testing/session-driver.ts";
import { openTestStore, type TestStore } from "../../storage/testing/test-database.ts";
import { BUNDLE_LIMITS, type BundleLimits } from "./bundle-limits.ts";
import { exportBundle } from "./export-bundle.ts";
import { importBundle } from "./import-bundle.ts";
import { changed, collect, from, parsed } from "./testing/lines.ts";

const REPO = { id: "repo-1", path: "/work/repo", name: "repo", createdAt: NOON };
const LATER = NOON + 60_000;

let test: TestStore;
let ids: number;
beforeEach(async () => {
  test = await openTestStore("sqlite");
  await test.store.addRepo(REPO);
  ids = 0;
});
afterEach(() => test.close());

const take = (lines: readonly string[], limits: BundleLimits = BUNDLE_LIMITS) =>
  importBundle(
    { store: test.store, newId: () => `new-${(ids += 1)}`, clock: () => LATER, limits },
    from(lines),
  );

const bundleOf = async (sessionId: string): Promise<string[]> => {
  const exported = await exportBundle({ store: test.store, clock: () => LATER }, sessionId);
  if (!exported.ok) throw new Error(exported.refusal.message);
  return collect(exported.lines);
};

/** A session with one of everything, and its bundle. */
async function full() {
  const session = await beginSession(test.store, { repoId: REPO.id, title: "T" });
  await session.end(await session.run("first"), FAILED);
  const sent = await session.run("second");
  const asked = await session.suspend(sent);
  const queued = await session.send("third");
  return { session, sent, asked, queued, lines: await bundleOf(session.id) };
}

describe("an import", () => {
  it("A13 brings a removed session back, suspended, with the question it waited for", async () => {
    const { session, asked, lines } = await full();
    const read = await test.store.readSession(session.id);
    if (read.found !== "session") throw new Error("it is there");
    await session.perform({ type: "delete" });
    expect(await take(lines)).toEqual({
      ok: true,
      session: {
        ...read.record,
        status: "suspended",
        state: "suspended",
        suspensions: [asked],
        delivery: "hold",
        updatedAt: LATER,
        version: 1,
        lastSeq: read.record.lastSeq + 2,
      },
    });
    expect((await test.store.openSuspensions()).map(({ id }) => id)).toEqual([asked.id]);
  });

  it("P2 holds what was queued, and says so in the transcript", async () => {
    const { session, queued, lines } = await full();
    await session.perform({ type: "delete" });
    await take(lines);
    expect((await test.store.readQueue(session.id)).map(({ messageId }) => messageId)).toEqual([
      queued.messageId,
    ]);
    expect((await session.messages()).at(-1)).toMatchObject({
      id: "new-1",
      role: "system",
      content: {
        type: "text",
        text: 'Imported with 1 queued message, which may have been delivered where the session came from. They are held until the delivery is set to "open".',
        notice: "session_imported",
      },
      at: LATER,
    });
  });

  it("binds the session to the repository of the same path here, whatever its id", async () => {
    const { session, lines } = await full();
    await session.perform({ type: "delete" });
    await test.store.removeRepo(REPO.id);
    await test.store.addRepo({ ...REPO, id: "repo-other", name: "Other" });
    expect(await take(lines)).toMatchObject({ ok: true, session: { repoId: "repo-other" } });
  });

  it("without its repository is bound to none, and says what to do", async () => {
    const session = await beginSession(test.store, { repoId: REPO.id });
    const lines = await bundleOf(session.id);
    await session.perform({ type: "delete" });
    await test.store.removeRepo(REPO.id);
    expect(await take(lines)).toMatchObject({ ok: true, session: { repoId: null } });
    const [notice] = await session.messages();
    expect(notice?.content["text"]).toContain("/work/repo is not registered here");
  });

  it("of a session that needs no notice adds none", async () => {
    const session = await beginSession(test.store, { repoId: REPO.id });
    await session.end(await session.run("first"));
    const [messages, lines] = [await session.messages(), await bundleOf(session.id)];
    await session.perform({ type: "delete" });
    await take(lines);
    expect(await session.messages()).toEqual(messages);
  });

  it("is refused when there is such a session already, which stays as it is", async () => {
    const { session, lines } = await full();
    const before = await session.stored();
    expect(await take(lines)).toEqual({
      ok: false,
      refusal: {
        code: "session_exists",
        message: `There is a session ${session.id} here already.`,
        status: null,
        state: null,
      },
    });
    expect(await session.stored()).toEqual(before);
  });

  it("of a copy gives new ids to what is another's, and leaves that alone", async () => {
    const { session, lines } = await full();
    const before = [await session.stored(), await session.messages()];
    const copy = changed(lines, (line) => {
      if (line["holdfast"] === "bundle") return { ...line, sessionId: "copy" };
      return line["type"] === "session" ? { ...line, id: "copy" } : line;
    });
    expect(await take(copy)).toMatchObject({ ok: true, session: { id: "copy", queued: 1 } });
    expect([await session.stored(), await session.messages()]).toEqual(before);

    const loaded = await test.store.load("copy");
    if (loaded.found !== "session") throw new Error("it was imported");
    const { standing, queue } = loaded.stored.session;
    if (!("activity" in standing) || standing.activity.state !== "suspended")
      throw new Error("it waits");
    const runs = await test.store.readRuns("copy");
    expect(runs.map(({ id }) => id)).toContain(standing.activity.run.id);
    expect(runs.map(({ id }) => id)).toContain(queue[0]?.runId);
    const messages = await test.store.readMessages({ sessionId: "copy" });
    expect(messages.map(({ content }) => content["text"]).slice(0, 2)).toEqual(["first", "second"]);
    const [first, second] = runs;
    expect(messages.slice(0, 2).map(({ id, runId }) => ({ id, runId }))).toEqual([
      { id: first?.messageId, runId: first?.id },
      { id: second?.messageId, runId: second?.id },
    ]);
    const suspensions = await test.store.readSuspensions("copy");
    expect(suspensions.map(({ runId }) => runId)).toEqual([standing.activity.run.id]);
  });

  it("cleans what neither database could hold", async () => {
    const session = await beginSession(test.store, { repoId: REPO.id });
    await session.end(await session.run("first"));
    const lines = changed(await bundleOf(session.id), (line) =>
      line["type"] === "message" ? { ...line, content: textOf("a\0b\uD800c") } : line,
    );
    await session.perform({ type: "delete" });
    await take(lines);
    expect((await session.messages())[0]?.content).toEqual(textOf("ab\uFFFDc"));
  });
});

describe("a bundle that is not in order", () => {
  type Spoil = (lines: string[]) => readonly string[];
  const on =
    (type: string, more: JsonObject): Spoil =>
    (lines) =>
      changed(lines, (line) => (line["type"] === type ? { ...line, ...more } : line));
  const without =
    (type: string): Spoil =>
    (lines) =>
      changed(lines, (line) => (line["type"] === type ? null : line));

  // Lines: 1 header, 2 session, 3 repo, 4 to 6 runs, 7 suspension, 8 and 9 messages, 10 queued, 11 end.
  it.each<[string, Spoil, string]>([
    ["nothing at all", () => [], "The bundle is not whole: its last line is missing."],
    ["no JSON", (lines) => ["{oops", ...lines], "Line 1 is not JSON."],
    ["a list", (lines) => [...lines.slice(0, 3), "[1]"], "Line 4 is not an object."],
    [
      "something nested deeply",
      (lines) => [...lines.slice(0, 2), `${"[".repeat(70)}${"]".repeat(70)}`],
      "Line 3 is nested too deeply.",
    ],
    ["no header", (lines) => lines.slice(1), "Line 1 is not the header of a bundle."],
    [
      "another version",
      (lines) => [JSON.stringify({ ...parsed(lines[0]), version: 2 }), ...lines.slice(1)],
      "Line 1 is of version 2; this program reads version 1.",
    ],
    ["no session", without("session"), "Line 2 is not the session."],
    ["no end", (lines) => lines.slice(0, -1), "The bundle is not whole: its last line is missing."],
    ["a line left out", (lines) => lines.toSpliced(7, 1), "Line 10 ends a bundle of 11 lines."],
    ["more after the end", (lines) => [...lines, "{}"], "Line 12 comes after the end."],
    ["an unknown line", on("repo", { type: "secret" }), 'Line 3 is of an unknown type: "secret".'],
    [
      "another session than its header names",
      on("session", { id: "other" }),
      "Line 2 is another session than the header's.",
    ],
    [
      "an unknown status",
      on("session", { status: "lost" }),
      'Line 2 status is not one of active, suspended, archived, error: "lost".',
    ],
    [
      "an id that is a path",
      (lines) =>
        changed(lines, (line) => ({
          ...line,
          ...(line["holdfast"] === "bundle" && { sessionId: "../../etc" }),
        })),
      'Line 1 sessionId is not an id: "../../etc".',
    ],
    [
      "a time that is none",
      on("session", { createdAt: "yesterday" }),
      'Line 2 createdAt is not an ISO 8601 time: "yesterday".',
    ],
    [
      "metadata that is a list",
      on("session", { metadata: [] }),
      "Line 2 metadata is not an object: [].",
    ],
    [
      "finalized in a phase that is not final",
      on("session", { finalizedAt: "2026-01-01T00:00:00Z" }),
      "Line 2 finalizedAt is given, and the phase is initializing.",
    ],
    [
      "archived and waiting",
      on("session", { status: "archived" }),
      "Line 2 waitingRun is given, and the status is archived.",
    ],
    [
      "a message of nobody",
      on("message", { role: "robot" }),
      'Line 8 role is not one of user, agent, system: "robot".',
    ],
    [
      "a message without a type",
      on("message", { content: { text: "hi" } }),
      "Line 8 type is not a text: missing.",
    ],
    ["messages in disorder", on("message", { seq: 3 }), "Line 9 is out of order: seq is 3."],
    [
      "a message before the session",
      on("message", { seq: 1 }),
      "Line 8 is out of order: seq is 1.",
    ],
    [
      "a message after its end",
      on("message", { seq: 999 }),
      "Line 8 has a seq above the session's lastSeq.",
    ],
    ["a run twice", on("run", { id: "same" }), "Line 5 repeats the id same."],
    [
      "a running run",
      on("run", { status: "running", endedAt: null }),
      "is running, and has no end.",
    ],
    ["an ended run without an end", on("run", { endedAt: null }), "is failed, and has no end."],
    ["no runs", without("run"), "for its queue."],
    ["a queue without messages", without("queued"), "is queued, unlike its place in the queue."],
    ["a run that waits for nothing", without("suspension"), "waits for nothing."],
    [
      "a question of a session that does not wait",
      on("session", { waitingRun: null }),
      "waits, and its session does not.",
    ],
    [
      "an open question with an end",
      on("suspension", { closedAt: "2026-01-01T00:00:00Z" }),
      "is open, unlike its end.",
    ],
    ["a question of no run", on("suspension", { runId: "none" }), "The bundle has no run none for"],
  ])("is refused when it has %s, and nothing is stored", async (_, spoil, why) => {
    const { session, lines } = await full();
    await session.perform({ type: "delete" });
    const empty = await countRows(test.location);
    expect(await take(spoil(lines))).toEqual({
      ok: false,
      refusal: {
        code: "bundle_invalid",
        message: expect.stringContaining(why),
        status: null,
        state: null,
      },
    });
    expect(await countRows(test.location)).toEqual(empty);
  });

  it("is refused when it is longer than may be, as a whole or in a line, before it is read whole", async () => {
    const { session, lines } = await full();
    await session.perform({ type: "delete" });
    const total = lines.join("").length;
    const longest = Math.max(...lines.map((line) => line.length));
    const refusedAs = async (limits: Partial<BundleLimits>) => {
      const taken = await take(lines, { ...BUNDLE_LIMITS, ...limits });
      return taken.ok ? "imported" : taken.refusal.message;
    };
    expect(await refusedAs({ totalLength: total - 1 })).toBe(
      `The bundle is longer than ${total - 1} characters.`,
    );
    expect(await refusedAs({ lineLength: longest - 1 })).toBe(
      `Line 2 is longer than ${longest - 1} characters.`,
    );
    expect(await refusedAs({ sessionLength: longest - 1 })).toBe(
      `Line 2 is longer than ${longest - 1} characters.`,
    );
    let taken = 0;
    const endless = async function* (): AsyncGenerator<string> {
      yield* lines.slice(0, 3);
      for (;;) {
        taken += 1;
        yield JSON.stringify({ type: "repo", path: "x".repeat(1000), name: "" });
      }
    };
    const limits = { ...BUNDLE_LIMITS, totalLength: 20_000 };
    const context = { store: test.store, newId: () => "new", clock: () => LATER, limits };
    expect(await importBundle(context, endless())).toMatchObject({
      refusal: { code: "bundle_invalid" },
    });
    expect(taken).toBeLessThan(30);
    expect(await refusedAs({ totalLength: total, lineLength: longest })).toBe("imported");
  });

  it("whose lines fail to arrive stores nothing", async () => {
    const { session, lines } = await full();
    await session.perform({ type: "delete" });
    const empty = await countRows(test.location);
    const broken = async function* (): AsyncGenerator<string> {
      yield* lines.slice(0, -1);
      throw new Error("the connection was lost");
    };
    const context = { store: test.store, newId: () => "new", clock: () => LATER };
    await expect(importBundle(context, broken())).rejects.toThrow("the connection was lost");
    expect(await countRows(test.location)).toEqual(empty);
  });
});
