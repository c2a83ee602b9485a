import { NEW_FOLDER } from "../files/session-folder.ts";
import { describe, expect, it } from "vitest";
import type { Command } from "./command.ts";
import { decide } from "./decide.ts";
import { evolve } from "./evolve.ts";
import * as make from "../testing/commands.ts";
import { at, create, NOON, send, suspend, update } from "../testing/commands.ts";
import { given, sessionAfter } from "../testing/given.ts";

describe("a session that does not exist", () => {
  const EVERY_OTHER: readonly Command[] = [
    make.send(1),
    make.update(),
    make.cancel(),
    make.release(),
    make.answer("s1"),
    make.resume(),
    make.archive(),
    make.fail(),
    make.finalize("completed"),
    make.remove(),
    make.editQueued(1),
    make.moveQueued(1, 0),
    make.withdrawQueued(1),
    make.startRun(1),
    make.handRun(1),
    make.retryRun(1),
    make.requeueRun(1),
    make.suspendRun(1, "s1"),
    make.closeSuspension("s1", "expired"),
    make.endRun(1),
    make.recordResume(true, null),
    make.suspend("crash"),
  ];

  it.each(EVERY_OTHER)("refuses $type", (command) => {
    expect(given().when(command)).toEqual({
      events: [],
      refused: { code: "session_not_found", status: null, state: null },
      session: null,
    });
  });

  it("has no event before its creation", () => {
    expect(() => evolve(null, { type: "session.resumed", at: NOON })).toThrow("unreachable");
  });
});

describe("creating a session", () => {
  it("makes an idle, active session with the given fields", () => {
    const command = create({
      title: "Tidy up",
      provider: "demo",
      model: "small",
      agentName: "terraform-architect",
      purpose: "approval_workflow",
      metadata: { task: "T001" },
      agentId: "agent-20260108-180530-abc12345",
    });
    expect(given().when(command)).toEqual({
      events: [{ ...command, type: "session.created" }],
      refused: null,
      session: {
        id: "session-1",
        agentId: "agent-20260108-180530-abc12345",
        repoId: "repo-1",
        title: "Tidy up",
        standing: { status: "active", activity: { state: "idle" } },
        delivery: "open",
        queue: [],
        provider: "demo",
        model: "small",
        agentName: "terraform-architect",
        purpose: "approval_workflow",
        metadata: { task: "T001" },
        phase: "initializing",
        phaseHistory: [],
        resumeReady: false,
        errorCount: 0,
        errorTotal: 0,
        lastError: null,
        supportsResume: false,
        supportsSteering: false,
        resumeData: [],
        settings: [],
        lastRun: null,
        mcpServers: {},
        directories: [],
        forkedFrom: null,
        ...NEW_FOLDER,
        createdAt: NOON,
        updatedAt: NOON,
        lastActiveAt: NOON,
        lastTurn: { at: NOON, outcome: null, line: null },
        finalizedAt: null,
        summary: null,
      },
    });
  });

  it("is refused if the ID is in use", () => {
    const { refused } = given(create()).when(create());
    expect(refused).toEqual({ code: "session_exists", status: "active", state: "idle" });
  });
});

describe("a clock that is set back", () => {
  it("does not affect the events, which get the session's latest time", () => {
    const late = NOON + 5_000;
    const before = sessionAfter(create(), at(late, update({ changes: { title: "late" } })));
    expect(decide(before, at(NOON, make.archive()))).toEqual({
      ok: true,
      events: [{ type: "session.archived", at: late }],
    });
  });

  it("does not move a session's times", () => {
    const late = NOON + 5_000;
    const { session } = given(create(), at(late, send(1))).when(at(NOON, suspend("shutdown")));
    expect([session?.createdAt, session?.lastActiveAt, session?.updatedAt]).toEqual([
      NOON,
      late,
      late,
    ]);
  });
});

describe("output of an agent", () => {
  it("counts as activity and changes nothing else", () => {
    const before = sessionAfter(create(), send(1, { start: make.HANDED }));
    const later = NOON + 1_000;
    expect(evolve(before, { type: "output.appended", at: later })).toEqual({
      ...before,
      updatedAt: later,
      lastActiveAt: later,
    });
  });

  it("does not move a session's times back with the clock", () => {
    const before = sessionAfter(create(), send(1, { start: make.HANDED }));
    expect(evolve(before, { type: "output.appended", at: NOON - 1_000 })).toEqual(before);
  });
});
