import type { Client } from "@holdfast/client";
import type { Message } from "@holdfast/protocol";

/** The messages of a session after a place, each once, as they are now. */
export async function messagesAfter(
  client: Pick<Client, "sessions">,
  {
    sessionId,
    after,
    signal,
  }: { readonly sessionId: string; readonly after: number; readonly signal: AbortSignal },
): Promise<readonly Message[]> {
  const found = new Map<string, Message>();
  for (let last = after; ;) {
    const page = await client.sessions.messages(sessionId, { after: last }, { signal });
    for (const message of page.messages) found.set(message.id, message);
    // A message that can still change is where the next page would begin again.
    if (page.messages.length === 0 || page.nextAfter <= last) return [...found.values()];
    last = page.nextAfter;
  }
}
