import { describe, expect, it } from "vitest";
import { AT, REPOSITORY, RUN, SESSION } from "./testing/session-model.ts";
import { schemaValidation } from "./schema-validation.ts";
import { shapeValidation } from "./validation.ts";

const message = {
  id: "m",
  sessionId: "s",
  runId: null,
  seq: 1,
  role: "agent",
  content: { type: "text", text: "Hi", extra: [1] },
  complete: true,
  timestamp: AT,
};
const suspension = {
  id: "w",
  kind: "question",
  request: { text: "Which?" },
  createdAt: AT,
  expiresAt: null,
  sessionId: "s",
  runId: "r",
  status: "open",
  answer: null,
  answeredBy: null,
  closedAt: null,
};
const EVENTS = {
  message,
  delta: { messageId: "m", text: "!" },
  run: RUN,
  session: SESSION,
  suspension,
  queue: { queue: [] },
  phase: { from: "initializing", to: "planning", at: AT },
  reset: {},
};

describe.each([
  ["the schemas", schemaValidation],
  ["the outer shape only", shapeValidation],
])("validation of %s", (_, validation) => {
  it.each(Object.entries(EVENTS))("accepts the event %s", (name, data) => {
    expect(validation.event(name, data)).toEqual({ type: name, data });
  });

  it("gives a deletion a type of its own", () => {
    const data = { id: "s", deleted: true };
    expect(validation.event("session", data)).toEqual({ type: "deleted", data });
  });

  it("ignores events of newer servers", () => {
    expect(validation.event("brand_new", { anything: 1 })).toBeNull();
    expect(validation.event("constructor", {})).toBeNull();
  });

  it.each(Object.entries(EVENTS).filter(([name]) => name !== "reset"))(
    "refuses the event %s when its data is no object or lacks a field",
    (name) => {
      for (const data of [null, "text", [], {}])
        expect(() => validation.event(name, data)).toThrow(Error);
    },
  );

  it("accepts replies, and rejects everything that is not an object", () => {
    expect(validation.reply("repositorySchema", REPOSITORY)).toEqual(REPOSITORY);
    for (const body of [null, "<html>", [REPOSITORY], 1])
      expect(validation.reply("repositorySchema", body)).toBeUndefined();
  });

  it("recognises a problem by its code and detail", () => {
    const problem = {
      type: "about:blank",
      title: "Not Found",
      status: 404,
      code: "session_not_found",
      detail: "No such session.",
    };
    expect(validation.reply("problemSchema", problem)).toEqual(problem);
    expect(validation.reply("problemSchema", { ...problem, detail: undefined })).toBeUndefined();
    expect(validation.reply("problemSchema", { message: "Bad gateway" })).toBeUndefined();
  });
});

it("only the schemas check the fields", () => {
  expect(schemaValidation.reply("repositorySchema", { id: 1 })).toBeUndefined();
  expect(shapeValidation.reply("repositorySchema", { id: 1 })).toEqual({ id: 1 });
});
