import type { Evidence, RequestRecord, StoredSession } from "../cluster/history.ts";
import { checkLinearizable, type Operation } from "./check.ts";
import { SESSION, type SessionCall } from "./session-model.ts";

/** What the recorded requests to a session contradict: null if one order of them explains all replies and the stored messages. */
export function linearizationError(
  { history }: Pick<Evidence, "history">,
  { id, messages }: Pick<StoredSession, "id" | "messages">,
): string | null {
  const sends = history.requests.filter(
    ({ kind, sessionId, tag }) => kind === "send" && sessionId === id && tag !== null,
  );
  const acknowledged = new Set(
    sends.flatMap(({ outcome }) => (outcome.ok ? (outcome.messageId ?? []) : [])),
  );
  // Requests of other kinds add messages too; those of these senders must be there in an order that explains the replies.
  const stored = messages.filter((each) => each.author === "user" && acknowledged.has(each.id));
  const told = new Set(sends.flatMap(({ outcome, tag }) => (outcome.ok ? (tag ?? []) : [])));
  const operations: Operation<SessionCall>[] = sends
    .filter(({ tag }) => tag !== null && told.has(tag))
    .map(toOperation);
  const end = Math.max(0, ...operations.map(({ from, to }) => (to === Infinity ? from : to)));
  operations.push({
    call: { do: "read", messages: stored.map((each) => each.id) },
    from: end + 1,
    to: end + 1,
  });
  const checked = checkLinearizable(SESSION, operations);
  if (checked.is !== "violated") return null;
  return `nothing can come next of ${checked.stuck.slice(0, 4).map(brief).join(", ")}`;
}

function brief({ call }: Operation<SessionCall>): string {
  if (call.do !== "send") return call.do;
  const { key, outcome } = call;
  return `${call.do} ${key} (${typeof outcome === "string" ? outcome : outcome.messageId})`;
}

/** A retry has the key of its first attempt, which may have been carried out. */
function toOperation({ tag, sentAt, endedAt, outcome }: RequestRecord): Operation<SessionCall> {
  const isTold = outcome.ok && outcome.messageId !== null;
  return {
    call: {
      do: "send",
      key: tag ?? "",
      outcome: isTold ? { messageId: outcome.messageId ?? "" } : "unknown",
    },
    from: sentAt,
    to: isTold ? endedAt : Infinity,
  };
}
