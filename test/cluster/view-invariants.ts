import { isDeepStrictEqual } from "node:util";
import type { WholeSession } from "../../packages/protocol/src/index.ts";
import type { Evidence, StoredSession, View } from "./history.ts";
import type { Violation } from "./invariants.ts";

/** What each client of a session saw, against what is stored. */
export function viewViolations(
  { history }: Evidence,
  session: StoredSession,
): readonly Violation[] {
  return history.views
    .filter(({ sessionId }) => sessionId === session.id)
    .flatMap((view) =>
      [
        ...risingNumbers(view),
        ...missedMessages(view, session),
        ...shrunkTexts(view),
        ...otherEnd(view, session.final),
      ].map((detail): Violation => ({
        invariant: "every client sees each number once, rising, and misses nothing",
        sessionId: session.id,
        detail: `client ${view.client}: ${detail}`,
      })),
    );
}

function risingNumbers({ connections }: View): readonly string[] {
  return connections.flatMap(({ node, after, events }) => {
    let last = after;
    return events.flatMap(({ event: { id } }) => {
      if (id === null) return [];
      const before = last;
      last = Number(id);
      return last > before ? [] : [`node ${node} sent ${id} after ${before}`];
    });
  });
}

/** Pieces of text go when their message is whole; the message itself must have been seen under its number. */
function missedMessages(
  { first, session, connections }: View,
  { log }: StoredSession,
): readonly string[] {
  const seen = new Set(
    connections.flatMap(({ events }) => events.flatMap(({ event }) => event.id ?? [])),
  );
  return log
    .filter(
      ({ kind, seq }) =>
        kind === "message" && seq > Number(first.lastEventId) && seq <= Number(session.lastEventId),
    )
    .filter(({ seq }) => !seen.has(String(seq)))
    .map(({ seq }) => `it never saw ${seq}`);
}

/** What was shown once stays. */
function shrunkTexts({ first, connections }: View): readonly string[] {
  const texts = new Map(first.messages.map((message) => [message.id, textOf(message)]));
  const wrong: string[] = [];
  for (const { node, events } of connections) {
    for (const { event } of events) {
      if (event.type === "delta") {
        const { messageId, text } = event.data;
        texts.set(messageId, `${texts.get(messageId) ?? ""}${text}`);
      }
      if (event.type !== "message") continue;
      const before = texts.get(event.data.id) ?? "";
      const now = textOf(event.data);
      texts.set(event.data.id, now);
      if (!now.startsWith(before)) {
        wrong.push(`node ${node} took back what it had shown of message ${event.data.id}`);
      }
    }
  }
  return wrong;
}

function otherEnd({ session }: View, final: WholeSession): readonly string[] {
  if (isDeepStrictEqual(session, final)) return [];
  const keys = new Set([...Object.keys(session), ...Object.keys(final)]);
  const differing = [...keys].filter(
    (key) => !isDeepStrictEqual(Reflect.get(session, key), Reflect.get(final, key)),
  );
  return [
    `it ended with another ${differing.join(", ")} than is stored (at ${session.lastEventId} of ${final.lastEventId})`,
  ];
}

function textOf({ content }: { readonly content: Readonly<Record<string, unknown>> }): string {
  return typeof content["text"] === "string" ? content["text"] : "";
}
