import type { Message } from "../../domain/message.ts";
import type { Store } from "../../storage/store.ts";

/** The messages that agents may know: without runs that were taken back. */
export async function readConversation(
  store: Pick<Store, "readMessages" | "rewoundRuns">,
  query: { readonly sessionId: string; readonly after?: number },
): Promise<readonly Message[]> {
  const [messages, rewound] = await Promise.all([
    store.readMessages(query),
    store.rewoundRuns(query.sessionId),
  ]);
  if (rewound.size === 0) return messages;
  return messages.filter(({ runId }) => runId === null || !rewound.has(runId));
}
