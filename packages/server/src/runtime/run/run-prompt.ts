import { isObject, type Json } from "../../domain/json.ts";
import {
  isOfSubagent,
  isPreparation,
  type Message,
  type MessageContent,
} from "../../domain/message.ts";
import { resumePointOf } from "../../domain/resume-point.ts";
import type { CurrentRun, RunMemory } from "../../domain/run.ts";
import type { FileSnapshot } from "../../domain/files/working-files.ts";
import type { Session } from "../../domain/session.ts";
import {
  AgentFault,
  type Agent,
  type Prompt,
  type PromptAnswer,
} from "../../providers/provider.ts";
import type { Store, StoredSuspension } from "../../storage/store.ts";
import { briefingOf, type Briefing, type BriefingLimits } from "./briefing.ts";
import type { RuntimeContext } from "../context.ts";
import { readConversation } from "../files/conversation.ts";
import { continuationOf } from "./continuation.ts";
import { isToldByTool } from "../permissions/own-tool.ts";
import { hadBegun } from "../logins/login-question.ts";
import type { AgentMemory } from "../worker/live-agent.ts";

export interface RunPrompt extends Prompt {
  readonly memory: RunMemory;
  /** The closed suspensions that the prompt tells the agent about. */
  readonly tells: readonly string[];
  /** The files before the run; null or absent if they are not known, or it goes on. */
  readonly before?: FileSnapshot | null;
}

export interface PromptRequest {
  readonly session: Session;
  readonly run: CurrentRun;
  readonly memory: AgentMemory;
  /** How much of the history fits into the prompt of an agent that gets the history each time. */
  readonly roomFor: NonNullable<Agent["roomFor"]>;
  /** The suspensions whose end a live agent knows. */
  readonly knownEnds: ReadonlySet<string>;
  /** The message of the run; null if it must be read. */
  readonly message: Message | null;
}

/** The prompt of a run: what the agent must know and does not, then the message. */
export async function promptFor(
  { store, limits }: Pick<RuntimeContext, "store" | "limits">,
  { session, run, memory, knownEnds, roomFor, message: known }: PromptRequest,
): Promise<RunPrompt> {
  const message = known ?? (await store.readMessage(session.id, run.messageId));
  if (message === null) {
    throw new AgentFault("agent_failed", "The message that was to be given cannot be read.");
  }
  const closed = run.attempts > 0 ? await closedSuspensions(store, session.id, run.id) : [];
  const isBack = memory === "resumed" || memory === "loaded" || memory === "forked";
  const missed =
    memory === "forked"
      ? await messagesSinceFork(store, session, message)
      : isBack
        ? await missedMessages(store, session, run, message)
        : null;
  const news = memory === "live" ? closed.filter(({ id }) => !knownEnds.has(id)) : closed;
  const text = continuationOf(news);
  const words: readonly MessageContent[] = text === null ? [] : [{ type: "text", text }];
  const knowsNothing = memory === "none" || (isBack && missed === null);
  const injected =
    isBack && missed !== null && run.attempts > 0 ? await injectedBefore(store, session, run) : [];
  const own = news.length > 0 && !knowsNothing ? [] : partsOf(message.content);
  const prompt = {
    parts: [...own, ...workBegun(injected, limits, INJECTED_HEADING), ...words],
    model: run.model,
    history: [],
    answers: closed.map(toPromptAnswer),
    tells: closed.map(({ id }) => id),
  };
  if (memory === "live") return { ...prompt, memory: { how: memory } };
  if (isBack && missed !== null) {
    const heading = "The session went on without you. What was said since you were last asked:";
    const briefing = briefingOf(missed, heading, limits);
    return briefing === null
      ? { ...prompt, memory: { how: memory } }
      : briefed(prompt, briefing, memory);
  }
  const all = await readConversation(store, { sessionId: session.id });
  const messages = all.filter(({ content }) => !isOfSubagent(content) && !isPreparation(content));
  const history = messages.filter(({ seq }) => seq < message.seq);
  const begun = messages.filter(({ seq, runId }) => seq > message.seq && runId === run.id);
  if (memory === "told") {
    const full = { ...prompt, parts: partsOf(message.content), begun };
    if (run.continuity === "off") return { ...full, memory: { how: "none" } };
    const room = roomFor({ ...full, history });
    if (room.of === 0) return { ...full, memory: { how: "none" } };
    return { ...full, history, memory: { how: "told", ...room } };
  }
  const parts = [...own, ...workBegun(begun, limits), ...words];
  if (run.continuity === "off") return { ...prompt, parts, memory: { how: "none" } };
  const heading = "This session began before you were started. What was said so far:";
  const briefing = briefingOf(history, heading, limits);
  if (briefing === null) return { ...prompt, parts, memory: { how: "none" } };
  if (run.continuity === "required")
    throw new AgentFault(
      "agent_forgot",
      "The agent cannot take its own session up again, and the message asked for nothing less.",
    );
  return briefed({ ...prompt, parts }, briefing, "briefed");
}

/** The messages since the last run of the agent's own session; null when that session had no run, so it knows nothing. */
async function missedMessages(
  store: Store,
  session: Session,
  run: CurrentRun,
  message: Message,
): Promise<readonly Message[] | null> {
  const seen = resumePointOf(session.resumeData, run.provider)?.seen ?? null;
  const last = seen === null ? null : await store.readRun(seen);
  const lastMessage = last === null ? null : await store.readMessage(session.id, last.messageId);
  if (lastMessage === null) return null;
  const since = await readConversation(store, { sessionId: session.id, after: lastMessage.seq });
  return since.filter((each) => {
    if (each.seq >= message.seq || each.runId === null) return false;
    // An agent that was cut off may not have kept a message that it took during its run.
    return each.runId !== seen || (last?.status !== "completed" && wasInjected(each));
  });
}

const INJECTED_HEADING = "While you worked on this, the user also said:";

/** The messages that an earlier agent of the run took during its work. */
async function injectedBefore(
  store: Store,
  session: Session,
  run: CurrentRun,
): Promise<readonly Message[]> {
  const messages = await store.readMessages({ sessionId: session.id });
  return messages.filter((message) => message.runId === run.id && wasInjected(message));
}

/** Also one that the agent may have taken: nobody knows. */
function wasInjected({ role, content }: Message): boolean {
  return role === "user" && (content["injected"] === true || content["steering"] === "unknown");
}

/** The messages of the fork itself. Those of its origin belong to no run of the fork, and the agent knows them. */
async function messagesSinceFork(
  store: Store,
  session: Session,
  message: Message,
): Promise<readonly Message[]> {
  const messages = await readConversation(store, { sessionId: session.id });
  return messages.filter(
    ({ seq, runId }) => seq < message.seq && runId !== null && runId !== message.runId,
  );
}

/** Puts the briefing before the parts of the prompt. */
function briefed(
  prompt: Omit<RunPrompt, "memory">,
  { text, given, of }: Briefing,
  how: "resumed" | "loaded" | "forked" | "briefed",
): RunPrompt {
  const parts = [{ type: "text", text }, ...prompt.parts];
  return { ...prompt, parts, memory: { how, given, of } };
}

/** The work of an earlier agent on the same message. */
function workBegun(
  begun: readonly Message[],
  limits: BriefingLimits,
  heading = "An earlier agent had begun to work on this:",
): readonly MessageContent[] {
  const briefing = briefingOf(begun, heading, limits);
  return briefing === null ? [] : [{ type: "text", text: briefing.text }];
}

/** The closed suspensions of a run that concern its agent. */
export async function closedSuspensions(
  store: Store,
  sessionId: string,
  runId: string,
): Promise<readonly StoredSuspension[]> {
  const suspensions = await store.readSuspensions(sessionId);
  const ofRun = suspensions.filter((each) => each.runId === runId);
  return ofRun.filter(
    (each) => each.status !== "open" && !isOurs(each) && !isToldByTool(each, ofRun),
  );
}

/** The server waited, and not the agent, so the agent need not know. */
function isOurs(suspension: StoredSuspension): boolean {
  const { kind } = suspension;
  if (kind === "login") return !hadBegun(suspension);
  return kind === "rate_limit" || kind === "budget" || kind === "shutdown";
}

function toPromptAnswer({ kind, request, status, answer }: StoredSuspension): PromptAnswer {
  const { toolCallId } = request;
  return {
    callId: typeof toolCallId === "string" ? toolCallId : null,
    kind,
    answer: status === "answered" ? answer : null,
  };
}

/** A message of several parts holds them under `parts`. */
export function partsOf(content: MessageContent): readonly MessageContent[] {
  const parts = content["parts"];
  if (content.type !== "parts" || !Array.isArray(parts)) return [content];
  return parts.filter(isContent);
}

function isContent(part: Json): part is MessageContent {
  return isObject(part) && typeof part["type"] === "string";
}
