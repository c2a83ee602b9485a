import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repeat } from "../../domain/testing/repeat.ts";
import { linesOf, MESSAGE_LINES, messageLine } from "../../runtime/bundle/bundle-lines.ts";
import { loosen, openRaw, type RawDatabase } from "../../storage/testing/raw-database.ts";
import { openTestStore, type TestStore } from "../../storage/testing/test-database.ts";
import { MESSAGE_JSON } from "./message-json.ts";
import { toWireMessage } from "./to-wire.ts";

interface StoredRow {
  readonly content: string;
  readonly complete: number;
  readonly role: string;
  readonly runId: string | null;
  readonly timestamp: number;
}

const text = fc.string({ unit: "binary" });
const partial = fc.constantFrom({}, { partial: false }, { partial: true }, { partial: "no" });
const written = fc
  .oneof(
    fc.tuple(fc.record({ type: fc.constantFrom("text", "thought"), text }), partial),
    fc.tuple(
      fc.record(
        {
          type: fc.constant("tool"),
          callId: fc.oneof(text, fc.constantFrom(1, null)),
          args: fc.json(),
        },
        { requiredKeys: ["type"] },
      ),
    ),
    fc.tuple(
      fc.record({ type: fc.constantFrom("plan", "terminal", "té", ""), steps: fc.jsonValue() }),
    ),
    // The type need not be first.
    fc.tuple(fc.record({ a: text }), fc.record({ type: fc.constantFrom("text", "tool", "plan") })),
  )
  .map((parts) => JSON.stringify(Object.assign({}, ...parts)));
const damaged = fc.constantFrom(
  "",
  "{oops",
  "[]",
  `{"text":"no type"}`,
  `{"type":"text","partial":false}`,
  `{"type":"tool","callId":"c1",`,
  `{"type":"text","text":"cut","partial":false}}`,
  `{"type":"text",\n"text":"lines","partial":false}`,
);
const content = fc.oneof({ weight: 15, arbitrary: written }, { weight: 1, arbitrary: damaged });
const usual = { complete: 1, role: "agent", timestamp: Date.UTC(2026, 0, 31) };
const row: fc.Arbitrary<StoredRow> = fc.record({
  content,
  complete: fc.constantFrom(1, 1, 1, 0),
  role: fc.constantFrom("user", "agent", "system", "agent", "robot"),
  runId: fc.constantFrom(null, "run-1", `run "2"`),
  timestamp: fc.oneof(
    fc.integer({ min: 0, max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) }),
    fc.constantFrom(0, 1, 999, -1, Date.UTC(10_000), 8.64e15, 8.64e15 + 1),
  ),
});
/** Most are as the server stores them: only a page of such messages is joined by the database. */
const rows = fc.oneof(
  fc.array(
    fc
      .record({ content, runId: fc.constantFrom(null, "run-1") })
      .map((one) => ({ ...usual, ...one })),
    { maxLength: 12 },
  ),
  fc.array(row, { maxLength: 6 }),
);

describe.each(["sqlite", "postgres"] as const)("messages on %s", (engine) => {
  let test: TestStore;
  let raw: RawDatabase;
  let sessions = 0;
  beforeAll(async () => {
    test = await openTestStore(engine);
    raw = await openRaw(test.location);
    await loosen(test.location, raw);
  });
  afterAll(async () => {
    await raw.close();
    await test.close();
  });

  const store = async (stored: readonly StoredRow[]): Promise<string> => {
    sessions += 1;
    const sessionId = `session "${sessions}"`;
    const values = stored.map(({ content, complete, role, runId, timestamp }, index) => {
      const id = `message ${index} of ${sessionId}`;
      const row = [id, sessionId, runId, index + 1, role, content, complete, timestamp];
      return `(${row.map(literal).join(", ")})`;
    });
    if (values.length > 0)
      await raw.run(`insert into "AgentMessage" ("id", "sessionId", "runId", "seq", "role", "content", "complete", "timestamp")
        values ${values.join(", ")}`);
    return sessionId;
  };

  it("are joined to the same JSON as from message to message, whatever is stored", async () => {
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.record({
          after: fc.integer({ min: -1, max: 8 }),
          before: fc.option(fc.integer({ min: 0, max: 14 }), { nil: undefined }),
          limit: fc.integer({ min: 1, max: 14 }),
        }),
        async (stored, { after, before = Infinity, limit }) => {
          const sessionId = await store(stored);
          const format = MESSAGE_JSON;
          const query = { sessionId, limit, format, ...(before !== Infinity && { before }) };
          const first = await test.store.readMessageJson({ ...query, part: "first", after });
          const taken = (await test.store.readMessages({ sessionId, after, limit })).filter(
            ({ seq }) => seq < before,
          );
          expect(first).toMatchObject({
            count: taken.length,
            first: taken[0]?.seq ?? null,
            last: taken.at(-1)?.seq ?? null,
            firstOpen: taken.find(({ complete }) => !complete)?.seq ?? null,
          });
          expect(parsed(first.json)).toEqual(
            taken.map((message) => asJson(toWireMessage(message))),
          );
          const lines = await test.store.readMessageJson({
            ...query,
            part: "first",
            after,
            format: MESSAGE_LINES,
          });
          expect(linesOf(lines).map((line): unknown => JSON.parse(line))).toEqual(
            taken.map((message) => asJson(messageLine(message))),
          );
          expect(first.calls).toEqual(
            taken.flatMap(({ runId, content: { type, callId } }) =>
              type === "tool" && typeof callId === "string" && runId !== null
                ? [{ runId, callId }]
                : [],
            ),
          );
          const last = await test.store.readMessageJson({ ...query, part: "last" });
          const newest = await test.store.readNewest(query);
          expect(parsed(last.json)).toEqual(
            newest.messages.map((message) => asJson(toWireMessage(message))),
          );
          expect(last).toMatchObject({ count: newest.messages.length });
          const position = last.first ?? 1;
          const counted = await test.store.countMessages({ sessionId, before: position });
          expect(counted).toBe(position - 1);
        },
      ),
      { numRuns: repeat({ short: engine === "sqlite" ? 300 : 60, long: 5_000 }) },
    );
  });

  it("that are no UTF-8 are sent as UTF-8", async () => {
    if (engine !== "sqlite") return;
    const sessionId = await store([
      { ...usual, runId: null, content: `{"type":"text","text":"ab","partial":false}` },
    ]);
    await raw.run(`update "AgentMessage" set "content" = cast(replace(cast("content" as blob), x'6162', x'61ff62') as text)
      where "sessionId" = '${sessionId}'`);
    const query = { sessionId, part: "first", after: 0, limit: 5, format: MESSAGE_JSON } as const;
    const { json } = await test.store.readMessageJson(query);
    expect(new TextDecoder("utf8", { fatal: true }).decode(json)).toContain("a\uFFFDb");
  });
});

function literal(value: string | number | null): string {
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
}

function parsed(json: Uint8Array): unknown {
  return JSON.parse(`[${Buffer.from(json).toString()}]`);
}

function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
