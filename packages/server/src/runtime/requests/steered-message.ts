import type { DeliveryMode } from "../../domain/delivery.ts";
import type { RuntimeContext } from "../context.ts";
import type { Decided } from "../execute-command.ts";
import { sleep } from "../sleep.ts";
import type { SendMessage, Sent } from "./request-types.ts";

/** Agents reply within 80 ms. A reply that takes longer than this is not waited for: the message is `pending` then. */
const WAIT_MS = 2_000;
const FIRST_LOOK_MS = 5;
const MAX_LOOK_MS = 200;

/** A message for an agent that cannot be steered is queued. The agent may be on another node, which then decides. */
export function deliveryOf(
  { canSteer, cluster }: RuntimeContext,
  sessionId: string,
  { delivery }: SendMessage,
): DeliveryMode {
  if (delivery !== "steer") return delivery;
  const mayTake = canSteer(sessionId) ?? !cluster.isAlone;
  return mayTake ? "steer" : "queue";
}

/** The outcome as of the commit of the message. */
export function firstOutcome(
  { delivery }: SendMessage,
  { session }: Decided,
  messageId: string,
): Pick<Sent, "steering"> {
  if (delivery !== "steer") return {};
  const entry = session?.queue.find((each) => each.messageId === messageId);
  if (entry === undefined) return {};
  return { steering: entry.steer === undefined ? "queued" : "pending" };
}

/** Waits a little for the agent's reply, so that the sender learns whether the agent took the message. */
export async function withOutcome(context: RuntimeContext, sent: Sent): Promise<Sent> {
  if (sent.steering !== "pending") return sent;
  let pauseMs = FIRST_LOOK_MS;
  for (let waitedMs = 0; waitedMs < WAIT_MS; waitedMs += pauseMs) {
    await sleep(pauseMs);
    const settled = await settledState(context, sent);
    if (settled !== null) return settled;
    pauseMs = Math.min(2 * pauseMs, MAX_LOOK_MS);
  }
  return { ...sent, waitsFor: PENDING };
}

/** The message with its outcome; null while it is being given. */
async function settledState({ store }: RuntimeContext, sent: Sent): Promise<Sent | null> {
  const { messageId, run } = sent;
  const queue = await store.readQueue(run.sessionId);
  const position = queue.findIndex((entry) => entry.messageId === messageId);
  if (position >= 0 && queue[position]?.steer !== undefined) return null;
  if (position >= 0) return { ...sent, steering: "queued", position, waitsFor: NOT_TAKEN };
  const message = await store.readMessage(run.sessionId, messageId);
  // It was withdrawn, or is entering the history now.
  if (message === null) return null;
  const current = message.runId === null ? null : await store.readRun(message.runId);
  const { content, at } = message;
  const delivered = { ...sent, content, at, run: current ?? run, queued: false, position: null };
  if (content["injected"] === true) return { ...delivered, steering: "injected", waitsFor: null };
  if (content["steering"] === "unknown")
    return { ...delivered, steering: "unknown", waitsFor: UNKNOWN };
  return { ...delivered, steering: "queued", waitsFor: null };
}

const PENDING = "The message is being given to the running agent, which has not replied yet.";
const NOT_TAKEN = "The running agent did not take the message. It follows the run.";
const UNKNOWN = "Nobody knows whether the running agent got the message. It was not given again.";
