import type { Message } from "../../domain/message.ts";
import type { CurrentRun } from "../../domain/run.ts";
import type { Agent } from "../../providers/provider.ts";
import type { RunPrompt } from "../run/run-prompt.ts";
import { speakerOf, type StoredMessages } from "../run/transcript-writer.ts";
import type { PromptNote } from "./found-agents.ts";

/** Why a run was cut off whose agent ended while no server was there. */
export const END_REASONS: Readonly<Record<NonNullable<Agent["endedBy"]>, string>> = {
  unattended: "the server was away for too long, so its agent was ended",
  lease: "the lease of its node had expired, so its agent was ended",
  host: "the process that kept its agent alive ended",
};

/** What a later server needs to go on with the prompt. */
export function promptNote({ id, attempts }: CurrentRun, prompt: RunPrompt): PromptNote {
  const results = (prompt.answers ?? []).flatMap(({ callId }) => callId ?? []);
  return { runId: id, attempts, tells: prompt.tells, results };
}

/** A prompt that the agent has got from an earlier server. It is not given again. */
export function promptOf({ tells, results }: PromptNote): RunPrompt {
  return {
    parts: [],
    model: null,
    memory: { how: "live" },
    tells,
    answers: results.map((callId) => ({ callId, kind: "tool_result", answer: null })),
  };
}

/** The messages of a run that later reports of its agent may change. */
export function storedMessages(messages: readonly Message[]): Required<StoredMessages> {
  const texts = new Map<string, string>();
  const plans = new Map<string, string>();
  const tools = messages.flatMap(({ id, complete, content }) => {
    const { type, callId } = content;
    if ((type === "text" || type === "thought") && !complete) texts.set(speakerOf(content), id);
    if (type === "plan") plans.set(speakerOf(content), id);
    return type === "tool" && typeof callId === "string"
      ? [{ callId, messageId: id, ended: complete }]
      : [];
  });
  return { tools, texts, plans };
}
