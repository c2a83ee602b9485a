import { randomUUID } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RETENTION_POLICY } from "../../domain/retention.ts";
import { DAY_MS, HOUR_MS, NOON } from "../../domain/testing/commands.ts";
import { mountMemory } from "../../storage/sqlite/testing/small-disk.ts";
import type { SessionDriver } from "../../storage/testing/session-driver.ts";
import { importBundle } from "../bundle/import-bundle.ts";
import { from } from "../bundle/testing/lines.ts";
import { executeCommand, type Execution } from "../execute-command.ts";
import { idsOf, TestRetention } from "../testing/test-retention.ts";

let test: TestRetention;
beforeEach(async () => {
  test = await TestRetention.open();
});
afterEach(() => test.close());

describe("retention", () => {
  it("A13 removes failed sessions after 24 hours, suspended ones after 7 days, 30 where they can be resumed", async () => {
    const broken = await test.failed();
    const cut = await test.suspended();
    const waiting = await test.begin();
    await waiting.suspend(await waiting.run());
    await waiting.perform({ type: "come-back", obstacle: "its repository is gone" });
    const archived = await test.begin();
    await archived.perform({ type: "archive" });
    const active = await test.begin();
    const all = [broken, cut, waiting, archived, active];

    test.now = NOON + 23 * HOUR_MS;
    await test.runOnce();
    expect(await test.left()).toEqual(idsOf(all));
    test.now = NOON + 2 * DAY_MS;
    await test.runOnce();
    expect(await test.left()).toEqual(idsOf([cut, waiting, archived, active]));
    test.now = NOON + 8 * DAY_MS;
    await test.runOnce();
    expect(await test.left()).toEqual(idsOf([waiting, archived, active]));
    test.now = NOON + 31 * DAY_MS;
    await test.runOnce();
    expect(await test.left()).toEqual(idsOf([archived, active]));
    test.now = NOON + 10_000 * DAY_MS;
    await test.runOnce();
    expect(await test.left()).toEqual(idsOf([archived, active]));
    expect(test.forgotten).toEqual([broken.id, cut.id, waiting.id]);
  });

  it("A13, ruling 16: leaves sessions alone that only wait for their server", async () => {
    const away = await test.begin();
    await away.perform({ type: "suspend", cause: "shutdown" });
    test.now = NOON + 10_000 * DAY_MS;
    await test.runOnce();
    expect(await test.left()).toEqual([away.id]);
  });

  it("A13, ruling 16: makes a session active whose repository has come back, and removes it not", async () => {
    const session = await test.suspended();
    test.obstacle = null;
    test.now = NOON + 8 * DAY_MS;
    await test.runOnce();
    expect((await session.stored()).session).toMatchObject({
      standing: { status: "active" },
      lastActiveAt: NOON,
    });
    expect(test.logged.map(({ text }) => text)).toEqual([
      "a session is active again, because its repository is available",
    ]);
  });

  it("A13, ruling 16: removes nothing within a day after a migration", async () => {
    const sessions = [await test.failed(), await test.suspended()];
    const migratedAt = NOON + 100 * DAY_MS;
    const store = { ...test.store, migratedAt };
    test.now = migratedAt + DAY_MS - 1;
    await test.runOnce({ store });
    expect(await test.left()).toEqual(idsOf(sessions));
    test.now += 1;
    await test.runOnce({ store });
    expect(await test.left()).toEqual([]);
  });

  it("A13 first writes a bundle, for its owner only, that brings the session back as it was", async () => {
    const session = await test.suspended({ id: "session-1", title: "Mine" });
    await session.end(await session.run("hello"));
    await session.perform({ type: "come-back", obstacle: "its repository is gone" });
    const messages = await session.messages();
    test.now = NOON + 8 * DAY_MS;
    await test.runOnce();
    expect(await test.left()).toEqual([]);

    const file = path.join(test.bundles, "session-1-2026-01-16.jsonl");
    expect(readdirSync(test.bundles)).toEqual([path.basename(file)]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(test.bundles).mode & 0o777).toBe(0o700);
    expect(test.logged).toEqual([
      {
        text: "a session was removed; its bundle is kept for a while",
        fields: { sessionId: "session-1", bundle: file },
      },
    ]);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const context = test.context;
    expect(await importBundle(context, from(lines))).toMatchObject({
      ok: true,
      session: { id: "session-1", title: "Mine", status: "suspended" },
    });
    expect(await session.messages()).toEqual(messages);
    await test.runOnce();
    expect(await test.left()).toEqual(["session-1"]);
  });

  it("A13 does not let a second bundle of a day take the place of the first", async () => {
    const context = { store: test.store, newId: randomUUID, clock: () => NOON };
    const session = await test.suspended({ id: "session-1" });
    test.now = NOON + 8 * DAY_MS;
    await test.runOnce();
    const first = readFileSync(path.join(test.bundles, "session-1-2026-01-16.jsonl"), "utf8");
    await importBundle(context, from(first.trimEnd().split("\n")));
    await session.perform({ type: "update", changes: { title: "Again" } });
    await session.perform({ type: "come-back", obstacle: "its repository is gone" });
    await test.runOnce();
    expect(readdirSync(test.bundles).toSorted()).toEqual([
      "session-1-2026-01-16.2.jsonl",
      "session-1-2026-01-16.jsonl",
    ]);
    expect(readFileSync(path.join(test.bundles, "session-1-2026-01-16.jsonl"), "utf8")).toBe(first);
  });

  it("names the bundle of an id that would be a path so that it stays in its folder", async () => {
    for (const id of ["../../up", "x".repeat(400)]) await test.suspended({ id });
    test.now = NOON + 8 * DAY_MS;
    await test.runOnce();
    expect(await test.left()).toEqual([]);
    expect(readdirSync(test.bundles).toSorted()).toEqual([
      "..%2F..%2Fup-2026-01-16.jsonl",
      expect.stringMatching(/^[0-9a-f]{64}-2026-01-16\.jsonl$/u),
    ]);
  });

  it("A13 keeps a session whose bundle cannot be written, and says so, until it can be", async () => {
    const session = await test.suspended();
    test.now = NOON + 8 * DAY_MS;
    mkdirSync(path.dirname(test.bundles), { recursive: true });
    writeFileSync(test.bundles, "a file where the folder should be");
    await test.runOnce();
    expect(await test.left()).toEqual([session.id]);
    expect(test.logged).toEqual([
      {
        text: "a session is kept, because its bundle could not be written",
        fields: { sessionId: session.id, err: expect.objectContaining({ code: "EEXIST" }) },
      },
      { text: "retention failed; the next try is tomorrow", fields: expect.anything() },
    ]);
    rmSync(test.bundles);
    await test.runOnce();
    expect(await test.left()).toEqual([]);
  });

  it("A13 keeps a session when the disk is full, and leaves no half bundle", async () => {
    const { folder: small, unmount } = mountMemory("size=64k");
    try {
      const session = await test.suspended();
      const metadata = { a: "x".repeat(100_000) };
      await session.perform({ type: "update", changes: { metadata } });
      test.now = NOON + 8 * DAY_MS;
      await test.runOnce({ bundleFolder: path.join(small, "bundles") });
      expect(await test.left()).toEqual([session.id]);
      expect(test.logged).toEqual([
        {
          text: "a session is kept, because its bundle could not be written",
          fields: { sessionId: session.id, err: expect.objectContaining({ code: "ENOSPC" }) },
        },
      ]);
      expect(readdirSync(path.join(small, "bundles"))).toEqual([]);
    } finally {
      unmount();
    }
  });

  it("A13 leaves a session alone that changed while its bundle was written, due or not", async () => {
    const [awake, renamed, calm] = [
      await test.suspended(),
      await test.suspended(),
      await test.suspended(),
    ];
    test.now = NOON + 8 * DAY_MS;
    const execute = async (execution: Execution) => {
      if (execution.sessionId === awake.id) await awake.send("wait!");
      if (execution.sessionId === renamed.id)
        await renamed.perform({ type: "update", changes: { title: "Not in the bundle" } });
      return executeCommand(test.context, execution);
    };
    await test.runOnce({ execute });
    expect(await test.left()).toEqual(idsOf([awake, renamed]));
    expect(readdirSync(test.bundles)).toEqual([`${calm.id}-2026-01-16.jsonl`]);
    expect(test.forgotten).toEqual([calm.id]);
  });

  it("A13 leaves a session alone that was taken up again before its bundle was written", async () => {
    const session = await test.suspended();
    test.now = NOON + 8 * DAY_MS;
    let loads = 0;
    const load = async (sessionId: string) => {
      loads += 1;
      if (loads === 2) await session.send("wait!");
      return test.store.load(sessionId);
    };
    await test.runOnce({ store: { ...test.store, load } });
    expect(await test.left()).toEqual([session.id]);
    expect(readdirSync(test.bundles)).toEqual([]);
  });

  it("removes many in batches, and is not held up by those that stay", async () => {
    const kept: SessionDriver[] = [];
    for (let n = 0; n < 330; n += 1) {
      const session = await test.suspended({ at: NOON + n });
      if (n % 3 !== 0) continue;
      await session.perform({
        type: "record-resume",
        provider: "demo",
        supportsResume: true,
        resumeData: n,
      });
      kept.push(session);
    }
    test.now = NOON + 8 * DAY_MS;
    await test.runOnce();
    expect(await test.left()).toEqual(idsOf(kept));
    expect(readdirSync(test.bundles)).toHaveLength(220);
  });

  it("goes on when what is kept elsewhere of a session cannot be removed", async () => {
    await test.suspended();
    test.now = NOON + 8 * DAY_MS;
    await test.runOnce({ forgetSession: () => Promise.reject(new Error("no such folder")) });
    expect(await test.left()).toEqual([]);
    expect(test.logged.map(({ text }) => text)).toContain(
      "the files of a removed session could not be deleted",
    );
  });

  it("A13 archives nothing by itself, unless told to after how long", async () => {
    const [idle, queued] = [await test.begin(), await test.begin()];
    await queued.send("later");
    test.now = NOON + 100 * DAY_MS;
    await test.runOnce();
    const statusOf = async (session: SessionDriver) =>
      (await session.stored()).session.standing.status;
    expect([await statusOf(idle), await statusOf(queued)]).toEqual(["active", "active"]);
    await test.runOnce({ policy: { ...RETENTION_POLICY, autoArchiveMs: 90 * DAY_MS } });
    expect([await statusOf(idle), await statusOf(queued)]).toEqual(["archived", "active"]);
    expect(test.logged.map(({ fields }) => fields)).toEqual([{ sessionId: idle.id }]);
  });

  it("forgets answers that are older than a week", async () => {
    const session = await test.begin();
    const key = { scope: "s", key: "k" };
    const remember = { ...key, requestHash: "h", response: 1 };
    await session.perform({ type: "update", changes: { title: "T" } }, { remember });
    test.now = NOON + 7 * DAY_MS;
    await test.runOnce();
    expect(await test.store.recall(key)).not.toBeNull();
    test.now = NOON + 7 * DAY_MS + 2000;
    await test.runOnce();
    expect(await test.store.recall(key)).toBeNull();
  });

  it("A13 removes bundles after 30 more days, half-written ones after one, and nothing else", async () => {
    mkdirSync(test.bundles, { recursive: true });
    const files = [
      "a-2026-01-01.jsonl",
      "b-2026-01-01.2.jsonl",
      "c-2026-01-02.jsonl",
      "mine-2026-99-99.jsonl",
    ];
    for (const name of [...files, "a-2026-01-01.jsonl.tmp", "b-2026-01-31.jsonl.tmp"])
      writeFileSync(path.join(test.bundles, name), "");
    test.now = Date.UTC(2026, 1, 1, 12);
    utimesSync(
      path.join(test.bundles, "a-2026-01-01.jsonl.tmp"),
      new Date(test.now - 2 * DAY_MS),
      new Date(test.now - 2 * DAY_MS),
    );
    utimesSync(
      path.join(test.bundles, "b-2026-01-31.jsonl.tmp"),
      new Date(test.now),
      new Date(test.now),
    );
    await test.runOnce();
    expect(readdirSync(test.bundles).toSorted()).toEqual([
      "b-2026-01-31.jsonl.tmp",
      "c-2026-01-02.jsonl",
      "mine-2026-99-99.jsonl",
    ]);
    expect(test.logged.map(({ fields }) => String(fields["bundle"])).toSorted()).toEqual(
      files.slice(0, 2).map((name) => path.join(test.bundles, name)),
    );
  });
});
