import { isDeepStrictEqual } from "node:util";
import type { WholeSession } from "../../packages/protocol/src/index.ts";
import type { Evidence, StoredSession, View } from "./history.ts";
import type { Violation } from "./invariants.ts";

/** Compares what each client of a session saw with what is stored. */
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
        ...finalDifference(view, session.final),
      ].map((detail): Violation => ({
        invariant: "every client sees each sequence number once, in order, without gaps",
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

/** Deltas are deleted once their message is complete. The client must have seen the message itself. */
function missedMessages(
  { first, session, connections }: View,
  { log }: StoredSession,
): readonly string[] {
  const ids = new Set(
    connections.flatMap(({ events }) => events.flatMap(({ event }) => event.id ?? [])),
  );
  return log
    .filter(
      ({ kind, seq }) =>
        kind === "message" && seq > Number(first.lastEventId) && seq <= Number(session.lastEventId),
    )
    .filter(({ seq }) => !ids.has(String(seq)))
    .map(({ seq }) => `it never saw ${seq}`);
}

/** Shown text must not disappear. */
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
        wrong.push(`node ${node} removed shown text of message ${event.data.id}`);
      }
    }
  }
  return wrong;
}

function finalDifference({ session }: View, final: WholeSession): readonly string[] {
  if (isDeepStrictEqual(session, final)) return [];
  const keys = new Set([...Object.keys(session), ...Object.keys(final)]);
  const differing = [...keys].filter(
    (key) => !isDeepStrictEqual(Reflect.get(session, key), Reflect.get(final, key)),
  );
  return [
    `its final session differs from the stored one in ${differing.join(", ")} (at ${session.lastEventId} of ${final.lastEventId})`,
  ];
}

function textOf({ content }: { readonly content: Readonly<Record<string, unknown>> }): string {
  return typeof content["text"] === "string" ? content["text"] : "";
}
