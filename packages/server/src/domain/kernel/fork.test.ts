import { describe, expect, it } from "vitest";
import type { Command } from "./command.ts";
import { forkOf } from "./fork.ts";
import {
  archive,
  create,
  fail,
  HANDED,
  NOON,
  recordResume,
  send,
  suspend,
  suspendRun,
  update,
} from "../testing/commands.ts";
import { sessionAfter } from "../testing/given.ts";

const SOURCE = create({
  title: "Tidy up",
  provider: "demo",
  model: "small",
  agentName: "terraform-architect",
  purpose: "approval_workflow",
  metadata: { task: "T001" },
});
const BUSY = [
  SOURCE,
  update({
    phase: "planning",
    error: { id: "e1", text: "timeout" },
    changes: { delivery: "hold", title: "Tidier" },
  }),
  update({ changes: { delivery: "open" } }),
  recordResume(true, "abc"),
  send(1, { start: HANDED }),
  send(2),
  suspendRun(1, "s1"),
];

describe("a fork", () => {
  it.each<[string, readonly Command[]]>([
    ["active", BUSY],
    ["suspended", [...BUSY, suspend("crash")]],
    ["archived", [...BUSY, archive()]],
    ["failed", [...BUSY, fail()]],
  ])(
    "of a session that is %s is a new idle session with its description and none of its work",
    (_, commands) => {
      const at = NOON + 1;
      const command = forkOf(sessionAfter(...commands), { id: "session-2", at, atMessage: "m1" });
      expect(command).toEqual({
        ...SOURCE,
        at,
        id: "session-2",
        title: "Tidier",
        forkedFrom: { sessionId: "session-1", atMessage: "m1" },
        lastRun: { provider: "demo", model: null },
      });
      const { standing, queue, phase, errorCount, supportsResume } = sessionAfter(command);
      expect({ standing, queue, phase, errorCount, supportsResume }).toEqual({
        standing: { status: "active", activity: { state: "idle" } },
        queue: [],
        phase: "initializing",
        errorCount: 0,
        supportsResume: false,
      });
    },
  );

  it("C2, ruling 18: continues with the agent that the other session ran with last", () => {
    const run = { provider: "gemini", model: "pro" };
    const source = sessionAfter(create(), send(1, { start: { ...run, handed: true } }));
    const command = forkOf(source, { id: "session-2", at: NOON, atMessage: null });
    expect(sessionAfter(command).lastRun).toEqual(run);
  });

  it("contains the whole history if no message is named", () => {
    const command = forkOf(sessionAfter(SOURCE), { id: "session-2", at: NOON, atMessage: null });
    expect(command.forkedFrom).toEqual({ sessionId: "session-1", atMessage: null });
  });
});
