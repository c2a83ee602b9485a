import { HoldfastError, type Client } from "@holdfast/client";
import type { CreateSessionRequest } from "@holdfast/protocol";

/**
 * Creates a session and sends its first message. If all agents are busy, the message waits in the queue of the new
 * session, as in a session that exists.
 */
export async function createSession(
  sessions: Pick<Client["sessions"], "create" | "send">,
  request: CreateSessionRequest,
  key: string,
): Promise<string> {
  const { message, ...idle } = request;
  try {
    return (await sessions.create(request, { idempotencyKey: key })).id;
  } catch (error) {
    const isBusy = error instanceof HoldfastError && error.code === "agents_busy";
    if (!isBusy || message === undefined) throw error;
    const { id } = await sessions.create(idle, { idempotencyKey: `${key}-idle` });
    const words = typeof message === "string" ? { text: message } : message;
    await sessions.send(id, words, { idempotencyKey: `${key}-message` });
    return id;
  }
}
