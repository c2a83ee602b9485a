import { describe, expect, it } from "vitest";
import type { Command } from "./kernel/command.ts";
import {
  KEPT_AFTER_MIGRATION_MS,
  removeAtOf,
  RETENTION_POLICY,
  retainedOf,
  retentionOf,
} from "./retention.ts";
import {
  archive,
  at,
  comeBack,
  create,
  DAY_MS,
  endRun,
  fail,
  HANDED,
  HOUR_MS,
  NOON,
  recordResume,
  send,
  suspend,
  suspendRun,
  update,
} from "./testing/commands.ts";
import { sessionAfter } from "./testing/given.ts";

const RUNNING = [create(), send(1, { start: HANDED })];
const WAITING = [...RUNNING, suspendRun(1, "s1")];

function verdicts(
  commands: readonly Command[],
  {
    edgeMs,
    autoArchiveMs = null,
    migratedAt = 0,
  }: { edgeMs: number; autoArchiveMs?: number | null; migratedAt?: number },
) {
  const session = sessionAfter(...commands);
  const policy = { ...RETENTION_POLICY, autoArchiveMs };
  return [edgeMs - 1, edgeMs].map((age) =>
    retentionOf(session, { now: NOON + age, policy, migratedAt }),
  );
}

describe("retention", () => {
  it("A13 is 24 hours, 7 days and 30 days by default, and archives nothing by itself", () => {
    expect(RETENTION_POLICY).toEqual({
      errorMs: 86_400_000,
      suspendedMs: 604_800_000,
      resumableMs: 2_592_000_000,
      autoArchiveMs: null,
    });
  });

  it("A13 removes a failed session 24 hours after it failed, to the millisecond", () => {
    expect(verdicts([create(), fail()], { edgeMs: 24 * HOUR_MS })).toEqual(["keep", "remove"]);
  });

  it("A13 counts from the failure, whatever happened before or after", () => {
    const failed = [
      create(),
      at(NOON + HOUR_MS, fail()),
      at(NOON + 2 * HOUR_MS, update({ changes: { title: "seen" } })),
    ];
    expect(verdicts(failed, { edgeMs: 25 * HOUR_MS })).toEqual(["keep", "remove"]);
  });

  it("A13, ruling 16: removes a session that cannot continue after 7 days", () => {
    const stuck = [create(), suspend("shutdown"), comeBack("its repository is gone")];
    expect(verdicts(stuck, { edgeMs: 7 * DAY_MS })).toEqual(["keep", "remove"]);
  });

  it("A13, ruling 16: never removes a session that only waits for its server", () => {
    const away = [create(), suspend("shutdown")];
    expect(verdicts(away, { edgeMs: 10_000 * DAY_MS })).toEqual(["keep", "keep"]);
  });

  it("A13, ruling 16: counts from the later of the suspension and the last activity", () => {
    const used = [
      create(),
      suspend("shutdown"),
      comeBack("its repository is gone"),
      at(NOON + DAY_MS, update({ changes: { title: "seen" } })),
    ];
    expect(verdicts(used, { edgeMs: 8 * DAY_MS })).toEqual(["keep", "remove"]);
  });

  it.each<[string, readonly Command[]]>([
    ["a failed session", [create(), fail()]],
    ["a suspended one", [create(), suspend("crash"), comeBack("its repository is gone")]],
  ])("A13, ruling 16: removes %s at the earliest a day after a migration", (_, commands) => {
    const migratedAt = NOON + 100 * DAY_MS;
    const edgeMs = 100 * DAY_MS + KEPT_AFTER_MIGRATION_MS;
    expect(verdicts(commands, { edgeMs, migratedAt })).toEqual(["keep", "remove"]);
  });

  it.each<[string, readonly Command[], number | null]>([
    ["active", [create()], null],
    ["archived", [create(), archive()], null],
    ["waiting for its server", [create(), suspend("crash")], null],
    ["failed", [create(), fail()], NOON + 24 * HOUR_MS],
    ["unable to continue", [create(), suspend("crash"), comeBack("gone")], NOON + 7 * DAY_MS],
  ])("A13, ruling 16: knows when it removes a session that is %s", (_, commands, expected) => {
    const rules = { policy: RETENTION_POLICY, migratedAt: 0 };
    expect(removeAtOf(retainedOf(sessionAfter(...commands)), rules)).toBe(expected);
  });

  it.each<[string, readonly Command[]]>([
    ["its agent can resume it", [create(), recordResume(true, "abc"), comeBack("gone")]],
    ["it waits for an answer", [...WAITING, comeBack("gone")]],
    ["it has queued messages", [create(), send(1), comeBack("gone")]],
  ])("A13 removes a suspended session after 30 days if %s", (_, commands) => {
    expect(verdicts(commands, { edgeMs: 30 * DAY_MS })).toEqual(["keep", "remove"]);
  });

  it("A13 keeps a session that was inactive for long for 7 days after a crash", () => {
    const crashed = [create(), at(NOON + 100 * DAY_MS, comeBack("its repository is gone"))];
    expect(verdicts(crashed, { edgeMs: 107 * DAY_MS })).toEqual(["keep", "remove"]);
  });

  it("A13 keeps an archived session forever", () => {
    expect(verdicts([create(), archive()], { edgeMs: 10_000 * DAY_MS })).toEqual(["keep", "keep"]);
  });

  it("A13 keeps an active session forever: auto-archive is off by default", () => {
    expect(verdicts([create()], { edgeMs: 10_000 * DAY_MS })).toEqual(["keep", "keep"]);
  });

  it("A13 archives an active session exactly at the limit if auto-archive is on", () => {
    const edge = { edgeMs: 30 * DAY_MS, autoArchiveMs: 30 * DAY_MS };
    expect(verdicts([create()], edge)).toEqual(["keep", "archive"]);
    expect(verdicts([...RUNNING, endRun(1)], edge)).toEqual(["keep", "archive"]);
  });

  it.each<[string, readonly Command[]]>([
    ["works", RUNNING],
    ["waits for an answer", WAITING],
    ["has messages in its queue", [create(), send(1)]],
    ["is archived", [create(), archive()]],
  ])("A13 never archives a session that %s", (_, commands) => {
    expect(verdicts(commands, { edgeMs: 30 * DAY_MS, autoArchiveMs: 30 * DAY_MS })).toEqual([
      "keep",
      "keep",
    ]);
  });

  it("A13 removes nothing early when the clock is set back", () => {
    const sessions = [
      sessionAfter(create(), fail()),
      sessionAfter(create(), comeBack("its repository is gone")),
      sessionAfter(create()),
    ];
    const rules = { policy: { ...RETENTION_POLICY, autoArchiveMs: 0 }, migratedAt: 0 };
    const now = NOON - DAY_MS;
    expect(sessions.map((session) => retentionOf(session, { now, ...rules }))).toEqual([
      "keep",
      "keep",
      "keep",
    ]);
  });
});
