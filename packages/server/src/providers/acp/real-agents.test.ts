import { describe, expect, it } from "vitest";
import { replayTranscript, summarise, type Replay } from "../testing/replay-transcript.ts";

const AGENTS = [
  "claude",
  "gemini",
  "codex",
  "opencode",
  "qwen",
  "copilot",
  "cline",
  "droid",
] as const;

const ORDER = ["pending", "in_progress", "completed"];

describe.each(AGENTS)("a recording of %s", (name) => {
  const replay = replayTranscript(name);

  it("gives the stored reports", async () => {
    await expect(summarise(replay)).toMatchFileSnapshot(`fixtures/${name}.summary.txt`);
  });

  it("ends every tool call once, and no status goes back", () => {
    const calls = toolReports(replay);
    expect(calls.size).toBeGreaterThan(0);
    for (const reports of calls.values()) {
      expect(reports.map(({ ended }) => ended)).toEqual(
        reports.map((_, index) => index === reports.length - 1),
      );
      const ranks = reports.map(({ status }) => rankOf(status));
      expect(ranks).toEqual(ranks.toSorted((one, other) => one - other));
      expect(ranks.at(-1)).toBe(2);
    }
  });

  it("loses no text", () => {
    for (const [key, text] of replay.said) {
      const [session, update] = key.split(" ");
      const voice = update === "agent_thought_chunk" ? "thought" : "answer";
      const reported = replay.steps.flatMap((step) =>
        step.session === session &&
        step.step === "report" &&
        step.report.report === "text" &&
        step.report.voice === voice
          ? [step.report.text]
          : [],
      );
      expect(reported.join("")).toBe(text);
    }
  });

  it("has all fields in every tool message (A3)", () => {
    for (const step of replay.steps) {
      if (step.step !== "report" || step.report.report !== "tool") continue;
      expect(step.report.content).toMatchObject({
        type: "tool",
        tool: expect.any(String) as string,
        callId: step.report.callId,
        title: expect.any(String) as string,
        output: expect.any(Array) as unknown[],
        locations: expect.any(Array) as unknown[],
      });
      expect(step.report.content).toHaveProperty("args");
      expect(step.report.content).toHaveProperty("result");
    }
  });
});

describe("a question asked again by another process after a kill", () => {
  it.each(["claude", "opencode"])("has the same fingerprint (%s)", (name) => {
    const first = heldQuestion(replayTranscript(name));
    const again = heldQuestion(replayTranscript(`${name}-asked-again`));
    expect(again.toolCallId).not.toBe(first.toolCallId);
    expect(again.fingerprint).toBe(first.fingerprint);
  });

  it.each(AGENTS)("differs from every other question (%s)", (name) => {
    const asked = questions(replayTranscript(name));
    expect(new Set(asked.map(({ fingerprint }) => fingerprint)).size).toBe(asked.length);
  });
});

function questions(
  replay: Replay,
): { readonly fingerprint: string; readonly toolCallId: string | null; readonly words: string }[] {
  return replay.steps.flatMap((step) =>
    step.step === "permission"
      ? [
          {
            fingerprint: step.permission.fingerprint,
            toolCallId: step.permission.request.toolCallId,
            words: JSON.stringify(step.permission.request),
          },
        ]
      : [],
  );
}

function heldQuestion(replay: Replay): ReturnType<typeof questions>[number] {
  const held = questions(replay).find(({ words }) => words.includes("held.txt"));
  if (held === undefined) throw new Error("the recording has no such question");
  return held;
}

function toolReports(
  replay: Replay,
): Map<string, { readonly status: unknown; readonly ended: boolean }[]> {
  const calls = new Map<string, { readonly status: unknown; readonly ended: boolean }[]>();
  for (const step of replay.steps) {
    if (step.step !== "report" || step.report.report !== "tool") continue;
    const { callId, content, ended } = step.report;
    calls.set(callId, [...(calls.get(callId) ?? []), { status: content["status"], ended }]);
  }
  return calls;
}

function rankOf(status: unknown): number {
  const rank = ORDER.indexOf(String(status));
  return rank < 0 ? 2 : rank;
}
