import type { SessionEvent } from "../../packages/server/src/domain/kernel/event.ts";
import type { Json } from "../../packages/server/src/domain/json.ts";
import type { CommitRecord, RequestRecord, World } from "../simulation/world.ts";
import { checkLinearizable, type Operation } from "./check.ts";
import { SESSION, type Effect, type SessionCall, type SessionRequest } from "./session-model.ts";

/** Many times what a simulation needs. */
const MAX_STEPS = 20_000;

/**
 * What the replies of a simulation contradict: null if one order of all requests to the session explains them, and every
 * effect that the database shows, at the time at which it was carried out.
 */
export function unexplainedReplies(
  { requests, commits }: Pick<World, "requests" | "commits">,
  sessionId: string,
): string | null {
  const carriedOut = commits.filter((commit) => commit.sessionId === sessionId);
  const inLog = operationsInLog(carriedOut);
  const sent = requests.filter((each) => each.sessionId === sessionId);
  const operations = [
    ...withoutRepetitions(withoutAttempts(sent).flatMap(operationsOf)).map(notBefore(inLog)),
    ...inLog,
  ];
  const ends = operations.map(({ from, to }) => (to === Infinity ? from : to));
  const end = Math.max(0, ...ends) + 1;
  operations.push({ call: finalRead(carriedOut), from: end, to: end });
  const checked = checkLinearizable(SESSION, operations, MAX_STEPS);
  if (checked.is === "linearizable") return null;
  if (checked.is === "unknown")
    return `no order of ${operations.length} operations was found in time`;
  return `nothing can come next of ${checked.stuck.slice(0, 6).map(brief).join(", ")}`;
}

function brief({ call, from, to }: Operation<SessionCall>): string {
  return `${JSON.stringify(call)} at ${from}${to === from ? "" : `–${to}`}`;
}

/** The last attempt to send a message stands for all, if it was acknowledged: it has the same key and began with the first. */
function withoutAttempts(requests: readonly RequestRecord[]): readonly RequestRecord[] {
  const acknowledged = new Set(
    requests.flatMap(({ kind, tag, outcome }) => (kind === "send" && outcome.ok ? tag : [])),
  );
  return requests.filter(
    ({ kind, tag, outcome }) => kind !== "send" || outcome.ok || !acknowledged.has(tag),
  );
}

/**
 * Of equal requests without a reply the first stands for all: it may take effect whenever another of them may, and they
 * have an effect only once. A cancel can have one each time.
 */
function withoutRepetitions(
  operations: readonly Operation<SessionCall>[],
): readonly Operation<SessionCall>[] {
  const seen = new Set<string>();
  return operations.filter(({ call, to }) => {
    if (to !== Infinity || call.do === "cancel") return true;
    const name = JSON.stringify(call);
    return !seen.has(name) && seen.add(name);
  });
}

/** A request that was acknowledged happened when the log shows its effect, or later. This spares the search most orders. */
function notBefore(
  inLog: readonly Operation<SessionCall>[],
): (operation: Operation<SessionCall>) => Operation<SessionCall> {
  const times = new Map(
    inLog.flatMap(({ call, from }) => (call.do === "after" ? [[nameOf(call.effect), from]] : [])),
  );
  return ({ call, from, to }) => {
    const effect = effectOf(call);
    const at = effect === null ? undefined : times.get(nameOf(effect));
    return { call, from: at !== undefined && at <= to ? Math.max(from, at) : from, to };
  };
}

/** The effect that the log must show, if the reply says that it is there. */
function effectOf(call: SessionCall): Effect | null {
  if (call.do === "send" && typeof call.outcome !== "string")
    return { is: "queued", key: call.key, messageId: call.outcome.messageId };
  if (call.do === "answer" && call.outcome === "done")
    return { is: "answered", suspensionId: call.suspensionId, answer: call.answer };
  if (call.do === "withdraw" && call.outcome === "done")
    return { is: "withdrawn", messageId: call.messageId };
  return null;
}

const nameOf = (effect: Effect): string => JSON.stringify(effect, Object.keys(effect).toSorted());

/** A request without a reply may take effect until the end, or never. */
function operationsOf(request: RequestRecord): readonly Operation<SessionCall>[] {
  const { firstAt: from, endedAt, outcome } = request;
  const unknown = { call: callOf(request, "unknown"), from, to: Infinity };
  // A server that stops takes no requests, but may have begun this one.
  if (!outcome.ok && (outcome.why === "unknown" || outcome.why === "server_stopping"))
    return [unknown];
  const told = { call: callOf(request, outcome.ok ? "done" : outcome.why), from, to: endedAt };
  // A reply shows the session as it is after the change: it may be deleted by then.
  const isMissing = !outcome.ok && outcome.why === "session_not_found" && request.kind !== "send";
  return isMissing ? [told, unknown] : [told];
}

function callOf(
  { kind, tag, target, delivery, outcome }: RequestRecord,
  result: string,
): SessionRequest {
  switch (kind) {
    case "send": {
      const messageId = outcome.ok ? (outcome.messageId ?? "none") : null;
      return {
        do: "send",
        key: tag ?? "",
        interrupts: delivery === "interrupt",
        outcome: messageId === null ? result : { messageId },
      };
    }
    case "answer":
      return { do: "answer", suspensionId: target ?? "", answer: tag ?? "", outcome: result };
    case "withdraw":
      return { do: "withdraw", messageId: target ?? "", outcome: result };
    case "cancel":
    case "resume":
    case "archive":
    case "delete":
      return { do: kind, outcome: result };
    default:
      return kind satisfies never;
  }
}

/** The steps of the server, and what the requests did, each at its time. */
function operationsInLog(commits: readonly CommitRecord[]): readonly Operation<SessionCall>[] {
  const messageOf = new Map<string, string>();
  return commits.flatMap(({ at, events, contents }) =>
    events.flatMap((event) => {
      if (event.type === "message.queued") messageOf.set(event.entry.runId, event.entry.messageId);
      return callsIn(event, { messageOf, contents }).map((call) => ({ call, from: at, to: at }));
    }),
  );
}

function callsIn(
  event: SessionEvent,
  {
    messageOf,
    contents,
  }: {
    readonly messageOf: ReadonlyMap<string, string>;
    readonly contents: CommitRecord["contents"];
  },
): readonly SessionCall[] {
  const byRequest = (effect: Effect): readonly SessionCall[] => [
    { do: "before", effect },
    { do: "after", effect },
  ];
  switch (event.type) {
    case "message.queued": {
      const { messageId } = event.entry;
      const key = keyIn(contents[messageId]?.["text"]);
      return key === null
        ? [{ do: "queue", messageId, position: event.position }]
        : byRequest({ is: "queued", key, messageId });
    }
    case "message.withdrawn":
      return byRequest({ is: "withdrawn", messageId: event.messageId });
    case "session.archived":
      return byRequest({ is: "archived" });
    case "session.deleted":
      return byRequest({ is: "deleted" });
    case "run.started":
      return [{ do: "start", messageId: event.run.messageId }];
    case "run.requeued":
      return [{ do: "requeue", messageId: event.entry.messageId }];
    case "run.ended": {
      const messageId = messageOf.get(event.runId) ?? "";
      if (event.result.outcome !== "cancelled") return [{ do: "end", messageId }];
      return byRequest({ is: "cancelled", messageId });
    }
    case "run.suspended":
      return [{ do: "ask", suspensionId: event.suspension.id }];
    case "suspension.closed": {
      const { suspensionId, closing } = event;
      if (closing.how !== "answered") return [{ do: "close", suspensionId }];
      return byRequest({ is: "answered", suspensionId, answer: answerText(closing.answer) });
    }
    default:
      return [];
  }
}

/** What is stored in the end, to which the replies must fit. */
function finalRead(commits: readonly CommitRecord[]): SessionCall {
  const events = commits.flatMap((commit) => commit.events);
  const answers: Record<string, string> = {};
  for (const event of events) {
    if (event.type !== "suspension.closed" || event.closing.how !== "answered") continue;
    answers[event.suspensionId] = answerText(event.closing.answer);
  }
  const has = (type: SessionEvent["type"]): boolean => events.some((each) => each.type === type);
  return {
    do: "read",
    messages: events.flatMap((each) =>
      each.type === "message.queued" ? each.entry.messageId : [],
    ),
    withdrawn: events.flatMap((each) => (each.type === "message.withdrawn" ? each.messageId : [])),
    answers,
    life: has("session.deleted") ? "deleted" : has("session.archived") ? "archived" : "active",
  };
}

/** The sender writes the key of a message into its text. The server's own messages have none. */
function keyIn(text: unknown): string | null {
  return typeof text === "string" ? (/^do it\n#(\S+)$/u.exec(text)?.[1] ?? null) : null;
}

function answerText(answer: Json): string {
  if (typeof answer === "string") return answer;
  const chosen = typeof answer === "object" && answer !== null && "optionId" in answer;
  return chosen && typeof answer["optionId"] === "string"
    ? answer["optionId"]
    : JSON.stringify(answer);
}
