import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  addRepositoryRequestSchema,
  cancelRequestSchema,
  createSessionRequestSchema,
  editQueuedRequestSchema,
  failRequestSchema,
  finalizeRequestSchema,
  forkRequestSchema,
  idSchema,
  listSessionsQuerySchema,
  messagesQuerySchema,
  promptRequestSchema,
  resumeRequestSchema,
  sendMessageRequestSchema,
  updateSessionRequestSchema,
} from "./index.ts";

const MIB = 1024 * 1024;

/** The errors as `field: message`. Empty for a valid value. */
function complaints(schema: z.ZodType, value: unknown): readonly string[] {
  const issues = schema.safeParse(value).error?.issues ?? [];
  return issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

function nested(depth: number): unknown {
  let value: unknown = "x";
  for (let level = 0; level < depth; level += 1) value = { a: value };
  return value;
}

describe("a request body", () => {
  it.each([
    ["create", createSessionRequestSchema, {}],
    ["update", updateSessionRequestSchema, {}],
    ["send", sendMessageRequestSchema, { text: "x" }],
    ["prompt", promptRequestSchema, { text: "x" }],
    ["edit a queued message", editQueuedRequestSchema, { position: 0 }],
    ["cancel", cancelRequestSchema, {}],
    ["resume", resumeRequestSchema, {}],
    ["finalize", finalizeRequestSchema, { outcome: "completed" }],
    ["fail", failRequestSchema, { reason: "x" }],
    ["fork", forkRequestSchema, {}],
    ["add a repository", addRepositoryRequestSchema, { path: "/x" }],
  ])("to %s refuses an unknown field by its name", (_, schema, body) => {
    expect(complaints(schema, body)).toEqual([]);
    expect(complaints(schema, { ...body, bogus: 1 })).toEqual([': Unrecognized key: "bogus"']);
  });

  it.each([
    ["create", createSessionRequestSchema],
    ["cancel", cancelRequestSchema],
    ["resume", resumeRequestSchema],
    ["fork", forkRequestSchema],
  ])("to %s may be missing", (_, schema) => {
    for (const body of [undefined, null, {}]) expect(schema.parse(body)).toEqual({});
    expect(complaints(schema, [])).toHaveLength(1);
  });

  it("describes itself as a JSON schema, also where it may be missing", () => {
    expect(z.toJSONSchema(cancelRequestSchema, { io: "input" })).toMatchObject({
      $ref: "#/$defs/CancelRequest",
      $defs: { CancelRequest: { type: "object", properties: { reason: { type: "string" } } } },
    });
  });
});

describe("a message", () => {
  it("is either text or content, with the fields of its run", () => {
    expect(sendMessageRequestSchema.parse({ text: "go" })).toEqual({
      text: "go",
      delivery: "queue",
      continuity: "auto",
    });
    const content = [
      { type: "text", text: "see" },
      { type: "image", data: "…" },
    ];
    expect(sendMessageRequestSchema.parse({ content, delivery: "interrupt" })).toEqual({
      content,
      delivery: "interrupt",
      continuity: "auto",
    });
    for (const body of [{}, { text: "a", content }])
      expect(complaints(sendMessageRequestSchema, body)).toEqual([
        ": must have either text or content",
      ]);
  });

  it("is not blank, and its parts are valid", () => {
    expect(complaints(promptRequestSchema, { text: " \n" })).toEqual(["text: must not be empty"]);
    expect(complaints(sendMessageRequestSchema, { content: [] })).toHaveLength(1);
    expect(complaints(sendMessageRequestSchema, { content: [{ type: "text" }] })).toEqual([
      "content.0.text: must be a string",
    ]);
    expect(complaints(sendMessageRequestSchema, { content: [{ text: "x" }] })).toEqual([
      "content.0.type: Invalid input: expected string, received undefined",
    ]);
  });

  it.each([
    ["one byte each", "a", MIB],
    ["two bytes each", "é", MIB / 2],
    ["four bytes each", "🙂", MIB / 4],
  ])("takes 1 MiB and no more: characters of %s", (_, character, count) => {
    const text = character.repeat(count);
    expect(complaints(promptRequestSchema, { text })).toEqual([]);
    expect(complaints(promptRequestSchema, { text: `${text}a` })).toEqual([
      "text: must be at most 1 MiB",
    ]);
  });

  it("of a new session is a text, or an object with text or content", () => {
    for (const message of ["go", { text: "go" }, { content: [{ type: "text", text: "go" }] }])
      expect(createSessionRequestSchema.parse({ message })).toEqual({ message });
    expect(complaints(createSessionRequestSchema, { message: "" })).toEqual([
      "message: must not be empty",
    ]);
    expect(complaints(createSessionRequestSchema, { message: 5 })).toEqual([
      "message: must be a string, or an object with text or content",
    ]);
    expect(complaints(createSessionRequestSchema, { message: { txt: "go" } })).toContain(
      'message: Unrecognized key: "txt"',
    );
  });

  it("in the queue gets a new text, a new position, or both", () => {
    for (const body of [{ text: "a" }, { position: 0 }, { text: "a", position: 3 }])
      expect(editQueuedRequestSchema.parse(body)).toEqual(body);
    expect(complaints(editQueuedRequestSchema, {})).toEqual([
      ": must have text, content or position",
    ]);
    expect(complaints(editQueuedRequestSchema, { position: -1 })).toHaveLength(1);
  });
});

describe("metadata and answers", () => {
  it("are nested 64 deep at most, and deeper ones do not exhaust the stack", () => {
    const metadata = { a: nested(63) };
    expect(complaints(updateSessionRequestSchema, { metadata })).toEqual([]);
    for (const depth of [64, 100_000])
      expect(complaints(updateSessionRequestSchema, { metadata: { a: nested(depth) } })).toEqual([
        "metadata: must be at most 64 KiB of JSON, nested at most 64 deep",
      ]);
    expect(complaints(resumeRequestSchema, { suspensionId: "s", answer: nested(65) })).toHaveLength(
      1,
    );
  });

  it("are limited in size", () => {
    const fits = "x".repeat(64 * 1024 - '{"a":""}'.length);
    expect(complaints(updateSessionRequestSchema, { metadata: { a: fits } })).toEqual([]);
    expect(complaints(updateSessionRequestSchema, { metadata: { a: `${fits}x` } })).toHaveLength(1);
  });

  it("an answer names its suspension, and may be null", () => {
    const answered = { suspensionId: "s", answer: null };
    expect(resumeRequestSchema.parse(answered)).toEqual(answered);
    for (const body of [{ suspensionId: "s" }, { answer: "yes" }])
      expect(complaints(resumeRequestSchema, body)).toEqual([
        ": must have suspensionId and answer together, or neither",
      ]);
  });
});

describe("a query", () => {
  it("of the list has 20 sessions a page by default, and lists by comma", () => {
    expect(listSessionsQuerySchema.parse({})).toEqual({ limit: 20, offset: 0 });
    expect(
      listSessionsQuerySchema.parse({ status: "active,error", state: "idle", limit: "100" }),
    ).toEqual({ status: ["active", "error"], state: ["idle"], limit: 100, offset: 0 });
    expect(complaints(listSessionsQuerySchema, { status: "active,cancelled" })).toEqual([
      expect.stringMatching(/^status\.1: /u),
    ]);
    for (const query of [{ limit: "0" }, { limit: "101" }, { limit: "x" }, { offset: "-1" }])
      expect(complaints(listSessionsQuerySchema, query)).toHaveLength(1);
  });

  it("accepts times with an offset, in UTC, and dates", () => {
    for (const since of ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.5+02:00", "2026-01-31"])
      expect(messagesQuerySchema.parse({ since, after: "3" })).toEqual({
        since,
        after: 3,
        limit: 1000,
      });
    for (const since of ["yesterday", "2026-02-30", "2026-01-31T12:00"])
      expect(complaints(messagesQuerySchema, { since })).toEqual([
        expect.stringMatching(/^since: must be an ISO-8601 time/u),
      ]);
  });
});

describe("an id", () => {
  it("is a printable word", () => {
    for (const id of ["019a82c4-7d3e-7a10-9c55-0b1f5f0c2a11", "s1"])
      expect(idSchema.parse(id)).toBe(id);
    for (const id of ["", "a b", "a\0", "x".repeat(201)])
      expect(complaints(idSchema, id)).toHaveLength(1);
  });
});
