import type { Message } from "../../domain/message.ts";
import type { RunCall, Store, StoredDecision } from "../../storage/store.ts";
import { chosenKind } from "../permissions/permission-answer.ts";

/** How the permission for a tool call was decided. */
export interface ToolDecision extends Omit<StoredDecision, "options" | "answer"> {
  /** The kind of the chosen option, for example `allow_once`; null if none was chosen. */
  readonly chosen: string | null;
}

/** The last decision on each of the tool calls among the messages. */
export async function decisionsAmong(
  store: Pick<Store, "readDecisions">,
  sessionId: string,
  messages: readonly Message[],
): Promise<readonly ToolDecision[]> {
  const calls = messages.flatMap((message) => callOf(message));
  if (calls.length === 0) return [];
  const stored = await store.readDecisions({ sessionId, calls });
  const last = new Map(stored.map((each) => [`${each.runId}/${each.callId}`, each]));
  return [...last.values()].map(({ options, answer, ...decision }) => ({
    ...decision,
    chosen: chosenKind({ options }, answer),
  }));
}

function callOf({ runId, content }: Message): readonly RunCall[] {
  const { type, callId } = content;
  return type === "tool" && typeof callId === "string" && runId !== null ? [{ runId, callId }] : [];
}
