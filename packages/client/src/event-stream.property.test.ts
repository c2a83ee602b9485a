import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StreamEvent } from "./apply-event.ts";
import { createConnection } from "./connection.ts";
import { streamEvents } from "./event-stream.ts";
import {
  answerUntilCut,
  encodeEntry,
  positionOf,
  type Cut,
  type Entry,
} from "./testing/event-log.ts";
import { reconnectingNow } from "./testing/reconnecting-now.ts";
import { openTestServer } from "./testing/test-server.ts";
import { schemaValidation } from "./schema-validation.ts";

interface Stream {
  readonly entries: readonly Entry[];
  readonly cuts: readonly Cut[];
  readonly ending: string;
  readonly withMark: boolean;
}

/** Reads the whole log despite all disconnects. The log ends with the deletion of the session. */
async function readThrough({ entries, cuts, ending, withMark }: Stream): Promise<{
  readonly events: readonly StreamEvent[];
  readonly connections: number;
}> {
  const last = (entries.at(-1)?.seq ?? 0) + 1;
  const deletion: Entry = {
    seq: last,
    events: [{ name: "session", data: { id: "s", deleted: true } }],
  };
  let connections = 0;
  const server = await openTestServer((request, response) => {
    const cut = cuts[connections];
    connections += 1;
    const after = positionOf(request);
    const first = entries.findIndex(({ seq }) => seq > after);
    const from = Math.max(0, (first === -1 ? entries.length : first) - (cut?.repeats ?? 0));
    const text = [...entries.slice(from), deletion].map((entry) => encodeEntry(entry, ending));
    const bytes = Buffer.from(`${withMark ? "\uFEFF" : ""}${text.join("")}`);
    answerUntilCut(response, { bytes, cut });
  });
  try {
    const events: StreamEvent[] = [];
    const stream = streamEvents({
      connection: createConnection({ url: server.url }, schemaValidation),
      path: "/events",
      after: null,
      ofOneSession: true,
      reconnecting: reconnectingNow(),
    });
    for await (const event of stream) events.push(event);
    return { events: events.slice(0, -1), connections };
  } finally {
    await server.close();
  }
}

function expectedOf(entries: readonly Entry[]): readonly StreamEvent[] {
  return entries.flatMap(({ seq, events }) =>
    events.map(
      ({ name, data }, index) =>
        ({
          id: index === events.length - 1 ? String(seq) : null,
          type: name,
          data,
        }) as StreamEvent,
    ),
  );
}

const delta = fc.record({
  name: fc.constant("delta"),
  data: fc.record({
    messageId: fc.constantFrom("m1", "m2"),
    text: fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 12 }),
      fc.constantFrom("\n\r\n", "é🙂"),
    ),
  }),
});

/** Sequence numbers increase, with gaps where entries were replaced. */
const log = fc
  .array(
    fc.record({
      step: fc.integer({ min: 1, max: 12 }),
      events: fc.array(delta, { minLength: 1, maxLength: 3 }),
    }),
    { maxLength: 8 },
  )
  .map((steps): readonly Entry[] => {
    let seq = 0;
    return steps.map(({ step, events }) => {
      seq += step;
      return { seq, events };
    });
  });

describe("a stream of events", () => {
  it("yields every event once and in order, wherever and however connections break (C7)", async () => {
    await fc.assert(
      fc.asyncProperty(
        log,
        fc.array(
          fc.record({
            afterBytes: fc.nat({ max: 600 }),
            how: fc.constantFrom("end", "destroy", "unavailable"),
            repeats: fc.nat({ max: 3 }),
          }),
          { maxLength: 6 },
        ),
        fc.constantFrom("\n", "\r", "\r\n"),
        fc.boolean(),
        async (entries, cuts, ending, withMark) => {
          const { events } = await readThrough({ entries, cuts, ending, withMark });
          expect(events).toEqual(expectedOf(entries));
        },
      ),
      { numRuns: 150 },
    );
  });

  it("yields every event once when the first connection is cut at any byte (C7)", async () => {
    const say = (text: string) => ({ name: "delta", data: { messageId: "m", text } });
    const entries: readonly Entry[] = [
      { seq: 3, events: [say("é"), say("🙂")] },
      { seq: 4, events: [say("\n")] },
    ];
    const whole = Buffer.from(entries.map((entry) => encodeEntry(entry, "\r\n")).join(""));
    for (let afterBytes = 0; afterBytes <= whole.length; afterBytes += 1) {
      const cuts: readonly Cut[] = [{ afterBytes, how: "end", repeats: 0 }];
      const read = await readThrough({ entries, cuts, ending: "\r\n", withMark: false });
      expect(read).toEqual({ events: expectedOf(entries), connections: 2 });
    }
  });
});
