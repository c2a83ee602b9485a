import fc from "fast-check";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { exampleSession } from "./testing/example-session.ts";

type Protocol = typeof import("@holdfast/protocol");
let withZod: Protocol;
let withSmall: Protocol;

beforeAll(async () => {
  withZod = await import("@holdfast/protocol");
  vi.resetModules();
  vi.doMock("zod", () => import("./small-zod.ts"));
  withSmall = await import("@holdfast/protocol");
  // Other test files may share these modules.
  vi.doUnmock("zod");
  vi.resetModules();
});

const TIME = "2026-01-01T00:00:00.000Z";
const suspension = {
  id: "w1",
  kind: "permission",
  request: { title: "Edit a.ts" },
  createdAt: TIME,
  expiresAt: null,
};
const message = {
  id: "m1",
  sessionId: "s1",
  runId: null,
  seq: 3,
  role: "agent",
  content: { type: "text", text: "Hi", partial: true, extra: [1] },
  complete: false,
  timestamp: TIME,
};
const counts = { active: 1, suspended: 0, archived: 2, error: 0, badge: 1 };
const session = {
  ...exampleSession(),
  suspension,
  suspensions: [suspension],
  phaseHistory: [{ from: "initializing", to: "planning", at: TIME, durationMs: 5 }],
};

/** What the page reads, each with a value as the server says it. */
const examples = {
  sessionSchema: session,
  wholeSessionSchema: {
    ...session,
    repo: { id: "r1", path: "/a", name: "a", createdAt: TIME },
    messages: [
      message,
      { ...message, content: { type: "tool", tool: "t", args: 1, result: null } },
    ],
    lastEventId: "7",
  },
  sessionListSchema: {
    sessions: [session],
    total: 1,
    limit: 50,
    offset: 0,
    nextCursor: null,
    counts,
    hits: [
      {
        sessionId: "s1",
        messageId: "m1",
        role: "agent",
        type: null,
        text: "a text",
        marks: [{ start: 0, end: 1 }],
      },
    ],
  },
  suspensionSchema: {
    ...suspension,
    sessionId: "s1",
    runId: "u1",
    status: "open",
    answer: null,
    answeredBy: null,
    closedAt: null,
  },
  permissionRequestSchema: {
    title: "Edit",
    toolCallId: null,
    kind: "edit",
    input: {},
    options: [{ optionId: "a", name: "Allow", kind: "allow_once", more: 1 }],
  },
  providersReplySchema: {
    defaultProvider: "demo",
    providers: [
      {
        name: "demo",
        title: "Demo",
        installed: true,
        command: ["node"],
        install: null,
        models: [{ id: "m", name: "M" }],
        modes: [],
        commands: [{ name: "c", description: "d", hint: null }],
        capabilities: { a: true },
      },
    ],
  },
  readinessSchema: {
    status: "ready",
    reason: null,
    version: "1",
    platform: "Node v24.0.0, linux x64",
    startedAt: TIME,
    database: { engine: "sqlite", schema: "0001" },
    sessions: counts,
    setAside: 0,
    limits: {
      liveAgents: 5,
      streams: 5000,
      queue: 100,
      retries: 3,
      idleMs: 1,
      silentMs: 2,
      permissionMs: null,
      messageBytes: 3,
      messageParts: 4,
      metadataBytes: 5,
      bodyBytes: 6,
      bundleBytes: 7,
    },
    sandbox: { mode: "auto", active: false, reason: "There is none." },
  },
  repositoryFilesSchema: { files: ["src/a.ts"], truncated: false },
  problemSchema: {
    type: "about:blank",
    title: "No",
    status: 400,
    code: "invalid_request",
    detail: "no",
    errors: [{ field: "a", message: "b" }],
  },
  runSchema: {
    id: "u1",
    sessionId: "s1",
    messageId: "m1",
    status: "completed",
    provider: "demo",
    model: null,
    attempts: 1,
    stopReason: "end_turn",
    error: null,
    usage: { inputTokens: 1 },
    memory: { how: "told", given: 1, of: 2 },
    queuedAt: TIME,
    startedAt: TIME,
    endedAt: null,
  },
} as const satisfies Partial<Record<keyof Protocol, unknown>>;
const NAMES = Object.keys(examples) as (keyof typeof examples)[];

/** A value with one thing somewhere in it missing, replaced or added. */
function damaged(value: unknown): fc.Arbitrary<unknown> {
  const paths = pathsOf(value);
  const other = fc.constantFrom(null, -1, 1.5, "", "x", "\n", [], {}, true, TIME);
  return fc
    .tuple(fc.constantFrom(...paths), fc.constantFrom("remove", "replace", "add"), other)
    .map(([path, how, what]) => asJson(change(structuredClone(value), path, { how, what })));
}

/** As it comes over the wire, where lists have no holes. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function pathsOf(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [[]];
  const inside = Object.entries(value).flatMap(([key, of]) =>
    pathsOf(of).map((path) => [key, ...path]),
  );
  return [[], ...inside];
}

function change(
  value: unknown,
  path: readonly string[],
  { how, what }: { how: string; what: unknown },
): unknown {
  const [key, ...rest] = path;
  if (key === undefined) {
    const isThing = typeof value === "object" && value !== null && !Array.isArray(value);
    return how === "add" && isThing ? { ...value, unknownKey: what } : what;
  }
  const thing = value as Record<string, unknown>;
  if (rest.length > 0 || how !== "remove") thing[key] = change(thing[key], rest, { how, what });
  else delete thing[key];
  return value;
}

describe("the page's schemas", () => {
  it.each(NAMES)("read a good %s as zod does", (name) => {
    const read = withSmall[name].safeParse(examples[name]);
    expect(read).toEqual({ success: true, data: withZod[name].parse(examples[name]) });
  });

  it.each(NAMES)("tell a damaged %s as zod does", (name) => {
    fc.assert(
      fc.property(damaged(examples[name]), (value) => {
        const { success, data } = withZod[name].safeParse(value);
        const read = withSmall[name].safeParse(value);
        expect([read.success, read.data]).toEqual([success, data]);
      }),
      { numRuns: 300 },
    );
  });

  it("tell known contents from others", () => {
    const known = { type: "plan", steps: [1], more: true };
    expect(withSmall.parseKnownContent(known)).toEqual(known);
    expect(withSmall.parseKnownContent({ type: "picture" })).toBeNull();
    expect(withSmall.parseKnownContent("text")).toBeNull();
  });

  it("tell a deletion from a session", () => {
    const deleted = { id: "s1", deleted: true };
    expect(withSmall.parseFeedEvent("session", deleted)).toEqual({
      type: "deleted",
      data: deleted,
    });
    expect(withSmall.parseFeedEvent("session", session)?.type).toBe("session");
    expect(() => withSmall.parseFeedEvent("session", {})).toThrow("cannot be read");
  });
});
