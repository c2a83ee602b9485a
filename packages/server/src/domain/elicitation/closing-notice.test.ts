import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../json.ts";
import { noticesOf } from "../message.ts";
import type { Closing, Suspension } from "../suspension.ts";

const FORM: JsonObject = {
  title: "Please answer.",
  message: "Please answer.\nIt is short.",
  mode: "form",
  schema: {
    type: "object",
    properties: {
      db: { type: "string", title: "Database", oneOf: [{ const: "pg", title: "PostgreSQL" }] },
      checks: { type: "array", items: { anyOf: [{ const: "t", title: "Types" }] } },
      sure: { type: "boolean" },
      key: { type: "string", _meta: { codex: { isSecret: true } } },
    },
  },
};
const PAGE: JsonObject = {
  title: "Sign in",
  message: "Sign in",
  mode: "url",
  url: "https://a.example",
};

const closedAs = (
  request: JsonObject,
  closing: Closing,
  kind: Suspension["kind"] = "elicitation",
) =>
  noticesOf({ type: "suspension.closed", at: 0, suspensionId: "w", closing }, [
    { id: "w", kind, request, fingerprint: null, createdAt: 0, expiresAt: null },
  ]);
const answered = (answer: Json): Closing => ({ how: "answered", answer, by: "ada" });

describe("the notice about a closed elicitation", () => {
  it("has the question and the answer in the words of the form, without secrets (D1)", () => {
    const content = { db: "pg", checks: ["t", "other"], sure: false, key: "k-123", n: 3 };
    expect(closedAs(FORM, answered({ action: "accept", content }))).toEqual([
      {
        type: "text",
        notice: "elicitation",
        suspensionId: "w",
        text: [
          "Please answer.",
          "It is short.",
          "Database: PostgreSQL",
          "checks: Types, other",
          "sure: No",
          "key: (not shown)",
          "n: 3",
        ].join("\n"),
      },
    ]);
  });

  it.each<[JsonObject, Closing, string]>([
    [FORM, answered({ action: "accept", content: {} }), "Answered without values"],
    [FORM, answered({ action: "decline" }), "Declined"],
    [FORM, answered({ action: "cancel" }), "Cancelled"],
    [FORM, { how: "withdrawn" }, "Withdrawn by the agent"],
    [FORM, { how: "expired" }, "Nobody answered in time"],
    [FORM, { how: "released" }, "Not answered: the run has ended"],
    [PAGE, answered({ action: "accept" }), "Sign in\nhttps://a.example\nOpened"],
  ])("of %j, %j, ends with %j (D1)", (request, closing, end) => {
    const [content] = closedAs(request, closing);
    expect(JSON.stringify(content?.["text"])).toContain(JSON.stringify(end).slice(1));
  });

  it("does not exist for other suspensions", () => {
    expect(closedAs({}, { how: "withdrawn" }, "permission")).toEqual([]);
  });
});
