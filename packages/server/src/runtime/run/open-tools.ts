import type { CurrentRun } from "../../domain/run.ts";
import type { Session } from "../../domain/session.ts";
import type { Store } from "../../storage/store.ts";
import type { OpenTool } from "./transcript-writer.ts";

/** The tool calls of a run that were announced and have not ended. */
export async function openToolsOf(
  store: Store,
  { session, run }: { readonly session: Session; readonly run: CurrentRun },
): Promise<readonly OpenTool[]> {
  const messages = await store.readMessages({ sessionId: session.id });
  return messages.flatMap(({ id, runId, complete, content }): readonly OpenTool[] => {
    const { type, callId } = content;
    const isOpen = runId === run.id && !complete && type === "tool";
    return isOpen && typeof callId === "string" ? [{ callId, messageId: id }] : [];
  });
}
