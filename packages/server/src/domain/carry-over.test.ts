import { describe, expect, it } from "vitest";
import { asImported, cutForExport } from "./carry-over.ts";
import type { Command } from "./kernel/command.ts";
import { evolve, evolveAll } from "./kernel/evolve.ts";
import { retentionOf, RETENTION_POLICY } from "./retention.ts";
import {
  archive,
  comeBack,
  create,
  DAY_MS,
  endRun,
  fail,
  HANDED,
  NOON,
  recordResume,
  send,
  START,
  suspend,
  suspendRun,
  update,
} from "./testing/commands.ts";
import { sessionAfter } from "./testing/given.ts";

const LATER = NOON + DAY_MS;

const import_ = (...commands: readonly Command[]) =>
  asImported(sessionAfter(...commands), { at: LATER, repoId: "repo-2" });

describe("a session that is exported", () => {
  it.each<[string, readonly Command[]]>([
    ["is idle", [create()]],
    ["waits for an answer", [create(), send(1, { start: HANDED }), suspendRun(1, "s1")]],
    ["has only a queue", [create(), send(1)]],
    ["is archived", [create(), archive()]],
  ])("needs no change when it %s", (_, commands) => {
    expect(cutForExport(sessionAfter(...commands), LATER)).toEqual([]);
  });

  it("P2 interrupts a run that the agent has, so that it is not repeated", () => {
    const session = sessionAfter(create(), send(1, { start: HANDED }));
    const events = cutForExport(session, LATER);
    expect(events).toEqual([
      {
        type: "run.ended",
        at: LATER,
        runId: "r1",
        result: {
          outcome: "interrupted",
          reason: "the session was exported while the agent was at work",
        },
        usage: null,
      },
    ]);
    expect(evolveAll(session, events)?.standing).toEqual({
      status: "active",
      activity: { state: "idle" },
    });
  });

  it("returns a run that no agent has to the queue", () => {
    const session = sessionAfter(create(), send(1, { start: START, model: "m" }), send(2));
    const after = evolveAll(session, cutForExport(session, LATER));
    expect(after?.queue.map(({ messageId, runId }) => [messageId, runId])).toEqual([
      ["m1", "r1"],
      ["m2", "r2"],
    ]);
  });
});

describe("a session that is imported", () => {
  it("ruling 14: is active and otherwise unchanged", () => {
    const commands = [
      create({ title: "T", metadata: { a: 1 } }),
      send(1, { start: HANDED }),
      endRun(1),
      update({ phase: "planning" }),
      recordResume(true, { id: "x" }),
    ];
    expect(import_(...commands)).toEqual({
      ...sessionAfter(...commands),
      repoId: "repo-2",
      updatedAt: LATER,
    });
  });

  it("ruling 14: stays suspended with its reason, and its retention time starts again", () => {
    const stuck = [create(), suspend("crash"), comeBack("its repository is gone")];
    expect(import_(...stuck).standing).toEqual({
      status: "suspended",
      activity: { state: "idle" },
      suspendedAt: LATER,
      reason: "its repository is gone",
    });
  });

  it("loses its grants and its rules that allow something", () => {
    const ask = { kind: "edit", decision: "ask" };
    const metadata = {
      a: 1,
      permissionGrants: [{ id: "g" }],
      permissions: {
        rules: [{ decision: "allow" }, ask],
        phases: { planning: [{ kind: "read", decision: "allow" }] },
      },
    };
    expect(import_(create({ metadata })).metadata).toEqual({
      a: 1,
      permissions: { rules: [ask], phases: { planning: [] } },
    });
  });

  it("C3 keeps its open suspensions", () => {
    const waiting = [create(), send(1, { start: HANDED }), suspendRun(1, "s1")];
    for (const commands of [waiting, [...waiting, suspend("shutdown")]]) {
      const before = sessionAfter(...commands);
      expect(import_(...commands).standing).toEqual({
        status: "active",
        activity: "activity" in before.standing && before.standing.activity,
      });
    }
  });

  it("P2 holds queued messages if its delivery policy was open, and keeps another policy", () => {
    expect(import_(create(), send(1))).toMatchObject({
      delivery: "hold",
      queue: [{ messageId: "m1" }],
    });
    expect(import_(create()).delivery).toBe("open");
    const rejecting = import_(create(), send(1), update({ changes: { delivery: "reject" } }));
    expect(rejecting.delivery).toBe("reject");
  });

  it("stays archived or failed, and the retention time of a failed session starts again (A13)", () => {
    expect(import_(create(), archive()).standing).toEqual({ status: "archived", archivedAt: NOON });
    const failed = import_(create(), fail());
    expect(failed.standing).toMatchObject({ status: "error", reason: "its data is unusable" });
    expect(retentionOf(failed, { now: LATER + 1, policy: RETENTION_POLICY, migratedAt: 0 })).toBe(
      "keep",
    );
  });

  it("replaces the session that earlier events made", () => {
    const session = import_(create(), send(1));
    const event = { type: "session.imported", at: LATER, session } as const;
    expect(evolve(null, event)).toEqual(session);
    expect(evolve(sessionAfter(create()), event)).toEqual(session);
  });
});
