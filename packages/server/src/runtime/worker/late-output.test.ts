import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { MessageContent } from "../../domain/message.ts";
import type { AgentReport } from "../../providers/provider.ts";
import type { Execution } from "../execute-command.ts";
import type { RunWork } from "../run/run-work.ts";
import { LateOutput } from "./late-output.ts";

const say = (text: string): AgentReport => ({ report: "text", voice: "answer", part: null, text });
const live = {};

interface Work extends Pick<RunWork, "runId" | "provider" | "done"> {
  ending: RunWork["ending"];
  readonly attempt: { isPrompted: boolean };
}

function workOn(runId: string): Work {
  const attempt = { isPrompted: false };
  return { runId, provider: "scripted", done: Promise.resolve(), ending: "open", attempt };
}

/** What is stored, as `run: text`. */
function open() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const stored: string[] = [];
  const late = new LateOutput(
    {
      clock: () => 0,
      newId: () => "",
      log: { info: () => {}, warn: () => {}, error: () => {} },
      execute: async ({ extras }: Execution) => {
        const { messages = [] } = typeof extras === "object" ? extras : {};
        const textOf = ({ text }: MessageContent): string => text as string;
        stored.push(...messages.map(({ runId, content }) => `${runId}: ${textOf(content)}`));
        return { ok: true, events: [], session: null, before: null, committed: null };
      },
    },
    "session",
  );
  return { late, stored };
}

describe("what an agent says after the end of its run", () => {
  it("is part of that run, also while the next one has not prompted the agent", async () => {
    const { late, stored } = open();
    const first = workOn("first");
    first.attempt.isPrompted = true;
    expect(late.take(say("in time"), undefined, { work: first, live })).toBe(false);
    first.ending = "ending";
    expect(late.take(say("one "), undefined, { work: first, live })).toBe(true);
    first.ending = "ended";
    expect(late.take(say("two "), undefined, { work: null, live })).toBe(true);
    const next = workOn("next");
    expect(late.take(say("three"), undefined, { work: next, live })).toBe(true);
    next.attempt.isPrompted = true;
    expect(late.take(say("in time"), undefined, { work: next, live })).toBe(false);
    await late.flush();
    expect(stored).toEqual(["first: one two three"]);
  });

  it("is stored when the agent pauses", async () => {
    const { late, stored } = open();
    const work = workOn("first");
    work.attempt.isPrompted = true;
    late.take(say("in time"), undefined, { work, live });
    work.ending = "ended";
    late.take(say("late"), undefined, { work: null, live });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(stored).toEqual(["first: late"]);
  });

  it("is dropped if the run was ended by somebody else", async () => {
    const { late, stored } = open();
    const work = workOn("first");
    work.attempt.isPrompted = true;
    late.take(say("in time"), undefined, { work, live });
    work.ending = "ending";
    late.take(say("late"), undefined, { work, live });
    await late.flush();
    expect(stored).toEqual([]);
  });

  it("is not expected of a new agent: what that says belongs to the run that starts it", () => {
    const { late } = open();
    const first = workOn("first");
    first.attempt.isPrompted = true;
    late.take(say("in time"), undefined, { work: first, live });
    first.ending = "ended";
    const work = workOn("next");
    expect(late.take(say("hello"), undefined, { work, live: null })).toBe(false);
    expect(late.take(say("hello"), undefined, { work, live: {} })).toBe(false);
  });

  it("is limited", async () => {
    const { late, stored } = open();
    const work = workOn("first");
    work.attempt.isPrompted = true;
    late.take(say("in time"), undefined, { work, live });
    work.ending = "ended";
    for (let piece = 0; piece < 100; piece += 1) {
      late.take(say("x".repeat(1_000)), undefined, { work: null, live });
      await late.flush();
    }
    expect(stored.join("").length).toBeLessThan(70_000);
  });
});
