import type { Json } from "../domain/json.ts";
import type { Message, MessageContent } from "../domain/message.ts";
import type { CurrentRun } from "../domain/run.ts";
import type { Session } from "../domain/session.ts";
import { AgentFault, type Prompt } from "../providers/provider.ts";
import type { Store } from "../storage/store.ts";
import { briefingOf } from "./briefing.ts";
import type { Memory } from "./live-agent.ts";
import { describeAnswer } from "./permission-answer.ts";

export interface RunPrompt extends Prompt {
  /** What the transcript says about how the agent knows what came before; null when it was there. */
  readonly notice: string | null;
}

/** What the agent is given for a run: the message, after what it must know and does not. */
export async function promptFor(
  store: Store,
  {
    session,
    run,
    memory,
  }: { readonly session: Session; readonly run: CurrentRun; readonly memory: Memory },
): Promise<RunPrompt> {
  const message = await store.readMessage(session.id, run.messageId);
  if (message === null) {
    throw new AgentFault("agent_failed", "The message that was to be given cannot be read.");
  }
  const answered =
    run.attempts > 0 ? await answersIn(store, { sessionId: session.id, runId: run.id }) : [];
  const own = answered.length > 0 && memory !== "none" ? [] : partsOf(message.content);
  if (memory !== "none" || run.continuity === "off") {
    return { parts: [...own, ...continuation(answered)], model: run.model, notice: null };
  }
  const messages = await store.readMessages({ sessionId: session.id });
  const begun = messages.filter(({ seq, runId }) => seq > message.seq && runId === run.id);
  const parts = [...own, ...workBegun(begun), ...continuation(answered)];
  const history = messages.filter(({ seq }) => seq < message.seq);
  return withBriefing(history, { run, parts });
}

/** What another process had done for the same message before it was gone. */
function workBegun(begun: readonly Message[]): readonly MessageContent[] {
  const briefing = briefingOf(begun, "An earlier agent had begun to work on this:");
  return briefing === null ? [] : [{ type: "text", text: briefing.text }];
}

function withBriefing(
  history: readonly Message[],
  { run, parts }: { run: CurrentRun; parts: readonly MessageContent[] },
): RunPrompt {
  const briefing = briefingOf(
    history,
    "This session began before you were started. What was said so far:",
  );
  if (briefing === null) return { parts, model: run.model, notice: null };
  if (run.continuity === "required") {
    throw new AgentFault(
      "agent_failed",
      "The agent cannot take up its own session again, and the message asked for nothing less.",
    );
  }
  const { text, given, of } = briefing;
  return {
    parts: [{ type: "text", text }, ...parts],
    model: run.model,
    notice: `A new agent was started and briefed with ${given === of ? `all ${of}` : `the last ${given} of ${of}`} earlier messages.`,
  };
}

/** What was answered while no agent was there to hear it. */
async function answersIn(
  store: Store,
  { sessionId, runId }: { sessionId: string; runId: string },
): Promise<readonly string[]> {
  const suspensions = await store.readSuspensions(sessionId);
  return suspensions
    .filter((suspension) => suspension.runId === runId && suspension.status !== "open")
    .map(describeAnswer);
}

function continuation(answers: readonly string[]): readonly MessageContent[] {
  if (answers.length === 0) return [];
  const lines = answers.map((answer) => `- ${answer}`);
  return [
    {
      type: "text",
      text: [
        "While you were away, what you were waiting for was answered:",
        ...lines,
        "Go on with the work. If you still need a permission, ask for it again.",
      ].join("\n"),
    },
  ];
}

/** A message of several parts holds them under `parts`. */
function partsOf(content: MessageContent): readonly MessageContent[] {
  const parts = content["parts"];
  if (content.type !== "parts" || !Array.isArray(parts)) return [content];
  return parts.filter(isContent);
}

function isContent(part: Json): part is MessageContent {
  return (
    typeof part === "object" && part !== null && "type" in part && typeof part["type"] === "string"
  );
}
