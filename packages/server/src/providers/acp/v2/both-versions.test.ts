import { describe, expect, it } from "vitest";
import { replayTranscript, summarise, type ReplayStep } from "../../testing/replay-transcript.ts";

const AGENTS = ["claude", "codex"] as const;

describe.each(AGENTS)("the same conversation with %s", (name) => {
  it.each([1, 2])("gives the stored reports in version %i", async (version) => {
    const replay = replayTranscript(`versions/${name}-${version}`);
    await expect(summarise(replay)).toMatchFileSnapshot(
      `../fixtures/versions/${name}-${version}.summary.txt`,
    );
  });

  it("gives the same messages, questions and ends in both versions", () => {
    const [first, second] = [1, 2].map((version) =>
      exchangesOf(replayTranscript(`versions/${name}-${version}`).steps),
    );
    expect(first?.map(({ prompt }) => prompt.split(" ")[0])).toEqual(PROMPTS);
    expect(second).toEqual(
      first?.map((exchange) => ({ ...exchange, ...DIFFERENCES[name]?.[exchange.prompt] })),
    );
  });

  it("has the whole output and the exit code of a command in version 2", () => {
    const ended = replayTranscript(`versions/${name}-2`).steps.flatMap((step) =>
      step.step === "report" && step.report.report === "tool" && step.report.ended
        ? [step.report.content]
        : [],
    );
    const output = JSON.stringify(ended.at(-1)?.["output"]);
    expect(output).toContain(JSON.stringify(COUNTED).slice(1, -1));
    expect(output).toContain('"exitCode":3');
  });
});

const PROMPTS = ["PING", "THINK", "WRITE", "WRITE", "TOOL", "ERR", "SLOW", "RECALL"];
const COUNTED = Array.from({ length: 300 }, (_, index) => index + 1).join("\n");

/** What an agent does otherwise in version 2. */
const DIFFERENCES: Readonly<Record<string, Readonly<Record<string, Partial<Exchange>>>>> = {
  // It says in version 1 that the turn was completed, and gives the error as its answer.
  codex: { "ERR 400": { end: "error" } },
};

interface Exchange {
  readonly prompt: string;
  readonly said: string;
  readonly thought: string;
  readonly calls: readonly unknown[];
  readonly questions: readonly unknown[];
  readonly end: string | null;
}

function exchangesOf(steps: readonly ReplayStep[]): readonly Exchange[] {
  const starts = steps.flatMap((step, at) => (step.step === "prompt" ? [at] : []));
  return starts.map((from, index) => exchangeOf(steps.slice(from, starts[index + 1])));
}

function exchangeOf(steps: readonly ReplayStep[]): Exchange {
  const [first] = steps;
  const end = steps.flatMap((step) => (step.step === "end" ? [step.how] : []))[0] ?? null;
  const textOf = (voice: string): string =>
    steps
      .map((step) =>
        step.step === "report" && step.report.report === "text" && step.report.voice === voice
          ? step.report.text
          : "",
      )
      .join("");
  return {
    prompt: first?.step === "prompt" ? first.text : "",
    // How much an agent says before it is cancelled depends on time.
    said:
      end === "cancelled" ? textOf("answer").slice(0, "slow-0 ".length) : steady(textOf("answer")),
    thought: textOf("thought"),
    calls: steps.flatMap((step) =>
      step.step === "report" && step.report.report === "tool" && step.report.ended
        ? [callOf(step.report.content)]
        : [],
    ),
    questions: steps.flatMap((step) => {
      if (step.step !== "permission") return [];
      const { title, kind, input, options } = step.permission.request;
      return [{ title, kind, input, options }];
    }),
    end,
  };
}

/** Without the numbers that are never the same. */
function steady(text: string): string {
  return text
    .replaceAll(/Chunk ID: \w+/gu, "Chunk ID: …")
    .replaceAll(/[\d.]+ seconds/gu, "… seconds");
}

function callOf({ tool, title, kind, status, args }: Readonly<Record<string, unknown>>): unknown {
  return { tool, title, kind, status, args };
}
