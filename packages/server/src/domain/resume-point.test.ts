import { describe, expect, it } from "vitest";
import type { SessionEvent } from "./kernel/event.ts";
import { evolveAll } from "./kernel/evolve.ts";
import { parseResumePoints, resumePointOf, withResumeData } from "./resume-point.ts";
import type { RunStart } from "./run.ts";
import {
  answer,
  cancel,
  create,
  endRun,
  handRun,
  HANDED,
  NOON,
  recordResume,
  requeueRun,
  send,
  START,
  suspendRun,
} from "./testing/commands.ts";
import { sessionAfter } from "./testing/given.ts";

const A: RunStart = { ...START, provider: "a" };
const B: RunStart = { ...START, provider: "b" };
/** A whole run of an agent whose session has this data. */
const run = (n: number, start: RunStart, data: string) => [
  send(n, { start }),
  recordResume(true, data, start.provider),
  handRun(n),
  endRun(n),
];

describe("A10: the resume data of each provider's agent", () => {
  it("is kept for each provider, with the last run that the agent got", () => {
    const { resumeData } = sessionAfter(create(), ...run(1, A, "a1"), ...run(2, B, "b1"));
    expect(resumePointOf(resumeData, "a")).toEqual({ provider: "a", data: "a1", seen: "r1" });
    expect(resumePointOf(resumeData, "b")).toEqual({ provider: "b", data: "b1", seen: "r2" });
    expect(resumePointOf(resumeData, "c")).toBeNull();
  });

  it("stays when the agent resumes its session", () => {
    const commands = [create(), ...run(1, A, "a1"), ...run(2, B, "b1"), ...run(3, A, "a1")];
    expect(resumePointOf(sessionAfter(...commands).resumeData, "a")?.seen).toBe("r3");
  });

  it("starts again with a new session of the agent, which has seen no run", () => {
    const commands = [create(), ...run(1, A, "a1"), send(2, { start: A })];
    const started = sessionAfter(...commands, recordResume(true, "a2", "a"));
    expect(resumePointOf(started.resumeData, "a")).toEqual({
      provider: "a",
      data: "a2",
      seen: null,
    });
  });

  it("is dropped if the agent cannot resume, for that provider only", () => {
    const commands = [create(), ...run(1, A, "a1"), ...run(2, B, "b1"), send(3, { start: A })];
    const { resumeData } = sessionAfter(...commands, { ...recordResume(false, null, "a") });
    expect(resumeData.map(({ provider }) => provider)).toEqual(["b"]);
  });

  it("has not seen a run that was recorded as handed but was not", () => {
    const begun = [create(), ...run(1, A, "a1"), send(2, { start: { ...A, handed: true } })];
    const taken = sessionAfter(...begun, requeueRun(2));
    expect(resumePointOf(taken.resumeData, "a")?.seen).toBe("r1");
    const ended = sessionAfter(...begun, endRun(2));
    expect(resumePointOf(ended.resumeData, "a")?.seen).toBe("r2");
  });

  it("has seen a run that was handed at once, even if it is cancelled after an answer", () => {
    const commands = [create(), ...run(1, A, "a1"), send(2, { start: { ...A, handed: true } })];
    const answered = sessionAfter(...commands, suspendRun(2, "s1"), answer("s1"), cancel());
    expect(resumePointOf(answered.resumeData, "a")?.seen).toBe("r2");
  });

  it("is limited: the provider that was used longest ago is dropped", () => {
    let points = withResumeData([], { provider: "p0", data: 0 });
    for (let n = 1; n <= 20; n += 1)
      points = withResumeData(points, { provider: `p${n}`, data: n });
    expect(points).toHaveLength(20);
    expect(resumePointOf(points, "p0")).toBeNull();
  });
});

describe("A15: logs and rows of version 0.1, with the data of one agent", () => {
  const fold = (resumeData: unknown): unknown => {
    const event: unknown = { type: "resume.recorded", at: NOON, supportsResume: true, resumeData };
    const session = sessionAfter(create(), send(1, { start: A }));
    return evolveAll(session, [event as SessionEvent])?.resumeData;
  };

  it("give the data to the provider that they name, else to that of the run", () => {
    expect(fold({ provider: "b", data: "b1" })).toEqual([
      { provider: "b", data: "b1", seen: null },
    ]);
    expect(fold({ id: "x" })).toEqual([{ provider: "a", data: { id: "x" }, seen: null }]);
    expect(fold(null)).toEqual([]);
  });

  it("are read in every form of the data", () => {
    expect(parseResumePoints(null)).toEqual([]);
    expect(parseResumePoints({ provider: "a", data: 1 })).toEqual([
      { provider: "a", data: 1, seen: null },
    ]);
    for (const data of [{ id: "x" }, "text", [1], [{ provider: 1, data: 2 }]])
      expect(parseResumePoints(data)).toEqual([{ provider: null, data, seen: null }]);
    const points = [{ provider: "a", data: 1, seen: "r" }];
    expect(parseResumePoints(points)).toEqual(points);
  });

  it("include imported sessions", () => {
    const now = sessionAfter(create(), send(1, { start: HANDED }), endRun(1));
    const { lastRun: _, ...old } = { ...now, resumeData: { provider: "demo", data: 7 } };
    const event: unknown = { type: "session.imported", at: NOON, session: old };
    expect(evolveAll(null, [event as SessionEvent])).toEqual({
      ...now,
      lastRun: null,
      resumeData: [{ provider: "demo", data: 7, seen: null }],
    });
  });
});

it("C2, ruling 18: a session knows the provider and model of its last run from its start", () => {
  const gemini = { provider: "gemini", model: "pro" };
  expect(sessionAfter(create()).lastRun).toBeNull();
  const started = [create(), send(1, { start: { ...gemini, handed: false } })];
  expect(sessionAfter(...started).lastRun).toEqual(gemini);
  expect(sessionAfter(...started, endRun(1)).lastRun).toEqual(gemini);
});
