import { describe, expect, it } from "vitest";
import type { Command } from "./command.ts";
import { isStale, RETENTION_POLICY, retentionOf } from "./retention.ts";
import {
  archive,
  at,
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
  { edgeMs, autoArchiveMs = null }: { edgeMs: number; autoArchiveMs?: number | null },
) {
  const session = sessionAfter(...commands);
  const policy = { ...RETENTION_POLICY, autoArchiveMs };
  return [edgeMs - 1, edgeMs].map((age) => retentionOf(session, { now: NOON + age, policy }));
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

  it("A13 counts from the failure, whatever came before or after", () => {
    const failed = [
      create(),
      at(NOON + HOUR_MS, fail()),
      at(NOON + 2 * HOUR_MS, update({ changes: { title: "seen" } })),
    ];
    expect(verdicts(failed, { edgeMs: 25 * HOUR_MS })).toEqual(["keep", "remove"]);
  });

  it("A13 removes a suspended session after 7 days", () => {
    expect(verdicts([create(), suspend("shutdown")], { edgeMs: 7 * DAY_MS })).toEqual([
      "keep",
      "remove",
    ]);
  });

  it.each<[string, readonly Command[]]>([
    ["its agent can resume it", [create(), recordResume(true, "abc"), suspend("shutdown")]],
    ["it waits for an answer", [...WAITING, suspend("shutdown")]],
    ["messages wait in it", [create(), send(1), suspend("shutdown")]],
  ])("A13 removes a suspended session after 30 days where %s", (_, commands) => {
    expect(verdicts(commands, { edgeMs: 30 * DAY_MS })).toEqual(["keep", "remove"]);
  });

  it("A13 gives a session that was quiet for long its 7 days after a crash too", () => {
    const crashed = [create(), at(NOON + 100 * DAY_MS, suspend("crash"))];
    expect(verdicts(crashed, { edgeMs: 107 * DAY_MS })).toEqual(["keep", "remove"]);
  });

  it("A13 keeps an archived session for ever", () => {
    expect(verdicts([create(), archive()], { edgeMs: 10_000 * DAY_MS })).toEqual(["keep", "keep"]);
  });

  it("A13 keeps an active session for ever: auto-archive is off by default", () => {
    expect(verdicts([create()], { edgeMs: 10_000 * DAY_MS })).toEqual(["keep", "keep"]);
  });

  it("A13 archives an active session at the edge where auto-archive is on", () => {
    const edge = { edgeMs: 30 * DAY_MS, autoArchiveMs: 30 * DAY_MS };
    expect(verdicts([create()], edge)).toEqual(["keep", "archive"]);
    expect(verdicts([...RUNNING, endRun(1)], edge)).toEqual(["keep", "archive"]);
  });

  it.each<[string, readonly Command[]]>([
    ["works", RUNNING],
    ["waits for an answer", WAITING],
    ["has messages in its queue", [create(), send(1)]],
    ["is archived", [create(), archive()]],
  ])("A13 never archives by itself what %s", (_, commands) => {
    expect(verdicts(commands, { edgeMs: 30 * DAY_MS, autoArchiveMs: 30 * DAY_MS })).toEqual([
      "keep",
      "keep",
    ]);
  });

  it("A13 removes nothing early when the clock is set back", () => {
    const sessions = [
      sessionAfter(create(), fail()),
      sessionAfter(create(), suspend("crash")),
      sessionAfter(create()),
    ];
    const policy = { ...RETENTION_POLICY, autoArchiveMs: 0 };
    expect(sessions.map((session) => retentionOf(session, { now: NOON - DAY_MS, policy }))).toEqual(
      ["keep", "keep", "keep"],
    );
  });
});

describe("cleanup by age", () => {
  const olderThanMs = 24 * HOUR_MS;

  it.each<[string, readonly Command[], readonly boolean[]]>([
    ["is idle", [create()], [false, true]],
    ["was suspended", [create(), suspend("crash")], [false, true]],
    ["has failed", [create(), fail()], [false, true]],
    ["was put away on purpose", [create(), archive()], [false, false]],
    ["works", RUNNING, [false, false]],
    ["waits for an answer", WAITING, [false, false]],
    [
      "waits for an answer while the server is away",
      [...WAITING, suspend("crash")],
      [false, false],
    ],
    ["has messages in its queue", [create(), send(1)], [false, false]],
  ])("B6 judges at its edge a session that %s", (_, commands, expected) => {
    const session = sessionAfter(...commands);
    const stale = [olderThanMs - 1, olderThanMs].map((age) =>
      isStale(session, { now: NOON + age, olderThanMs }),
    );
    expect(stale).toEqual(expected);
  });
});
