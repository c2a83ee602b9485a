import type { RunCall, Store, StoredDecision } from "../../storage/store.ts";
import { chosenKind } from "../permissions/permission-answer.ts";

/** How the permission for a tool call was decided. */
export interface ToolDecision extends Omit<StoredDecision, "options" | "answer"> {
  /** The kind of the chosen option, for example `allow_once`; null if none was chosen. */
  readonly chosen: string | null;
}

/** The last decision on each of the tool calls. */
export async function decisionsOn(
  store: Pick<Store, "readDecisions">,
  sessionId: string,
  calls: readonly RunCall[],
): Promise<readonly ToolDecision[]> {
  if (calls.length === 0) return [];
  const stored = await store.readDecisions({ sessionId, calls });
  const last = new Map(stored.map((each) => [`${each.runId}/${each.callId}`, each]));
  return [...last.values()].map(({ options, answer, ...decision }) => ({
    ...decision,
    chosen: chosenKind({ options }, answer),
  }));
}
