import { PHASES, type WholeSession } from "@holdfast/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createConnection } from "./connection.ts";
import { streamEvents } from "./event-stream.ts";
import { follow } from "./follow.ts";
import { createSessions, type Sessions } from "./sessions.ts";
import { answerUntilCut, encodeEntry, positionOf, type Cut } from "./testing/event-log.ts";
import { reconnectingNow } from "./testing/reconnecting-now.ts";
import { createSessionModel, type SessionModel, type Step } from "./testing/session-model.ts";
import { openTestServer } from "./testing/test-server.ts";
import { schemaValidation } from "./schema-validation.ts";

const text = fc.string({ unit: "grapheme", maxLength: 8 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("say" as const), text }),
  fc.record({ do: fc.constant("grow" as const), text }),
  fc.record({ do: fc.constant("grow" as const), text }),
  fc.record({ do: fc.constant("complete" as const) }),
  fc.record({ do: fc.constant("queue" as const), length: fc.nat({ max: 3 }) }),
  fc.record({ do: fc.constant("phase" as const), to: fc.constantFrom(...PHASES) }),
  fc.record({ do: fc.constant("ask" as const) }),
  fc.record({ do: fc.constant("answer" as const) }),
  fc.record({ do: fc.constant("title" as const), title: text }),
);
const cut: fc.Arbitrary<Cut> = fc.record({
  afterBytes: fc.nat({ max: 4000 }),
  how: fc.constantFrom("end", "destroy"),
  repeats: fc.constant(0),
});
/** What happens to the session before a connection is answered, and where that one breaks. */
const connection = fc.record({ steps: fc.array(step, { maxLength: 8 }), cut });

interface Broken {
  readonly steps: readonly Step[];
  readonly cut: Cut;
}

describe("a client that follows a session", () => {
  it("ends with what reading the session shows, wherever its connections break (C7)", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 10 }),
        fc.array(connection, { maxLength: 5 }),
        async (before, connections) => {
          const model = createSessionModel();
          for (const one of before) model.take(one);
          expect(await followThrough(model, connections)).toEqual(model.whole());
        },
      ),
      { numRuns: 150 },
    );
  });
});

const END = "the end";

async function followThrough(
  model: SessionModel,
  connections: readonly Broken[],
): Promise<WholeSession | null> {
  let count = 0;
  const server = await openTestServer((request, response) => {
    if (request.url === "/api/sessions/s") return void response.end(JSON.stringify(model.whole()));
    const now = connections[count];
    count += 1;
    for (const one of now?.steps ?? [{ do: "title" as const, title: END }]) model.take(one);
    const entries = model.entries(positionOf(request));
    const bytes = Buffer.from(entries.map((entry) => encodeEntry(entry)).join(""));
    return answerUntilCut(response, { bytes, cut: now?.cut });
  });
  try {
    for await (const { session } of follow(sessionsAt(server.url), "s"))
      if (session.title === END && session.lastEventId === model.whole().lastEventId)
        return session;
    return null;
  } finally {
    await server.close();
  }
}

/** As the client has them, but without waiting between connections. */
function sessionsAt(url: string): Pick<Sessions, "get" | "events"> {
  const connectionTo = createConnection({ url }, schemaValidation);
  return {
    get: createSessions(connectionTo).get,
    events: (id, { after, signal } = {}) =>
      streamEvents({
        connection: connectionTo,
        path: `/api/sessions/${id}/events`,
        after: String(after),
        ofOneSession: true,
        signal,
        reconnecting: reconnectingNow(),
      }),
  };
}
