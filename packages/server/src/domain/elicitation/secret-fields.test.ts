import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../json.ts";
import { isSecretField, missingSecrets, separateSecrets, withSecrets } from "./secret-fields.ts";

const REQUEST: JsonObject = {
  mode: "form",
  schema: {
    type: "object",
    properties: {
      name: { type: "string" },
      key: { type: "string", writeOnly: true },
      pin: { type: "integer", writeOnly: true },
    },
  },
};
const CONTENT = { name: "ada", key: "k-123", pin: 4711 };
const MARK = { notStored: true };

describe("a field of a form", () => {
  it.each<[Json, boolean]>([
    [{ type: "string" }, false],
    [{ type: "string", writeOnly: true }, true],
    [{ type: "string", writeOnly: "true" }, false],
    [{ type: "string", format: "password" }, true],
    [{ type: "string", format: "email" }, false],
    [{ type: "string", isSecret: true }, true],
    [{ type: "string", _meta: { codex: { isSecret: true } } }, true],
    [{ type: "string", _meta: { codex: { isSecret: false } } }, false],
    [{ type: "string", _meta: { isSecret: true } }, true],
    [{ type: "string", _meta: ["isSecret"] }, false],
    ["secret", false],
    [null, false],
  ])("%j is secret: %s (D1)", (field, expected) => {
    expect(isSecretField(field)).toBe(expected);
  });
});

describe("an answer with secrets", () => {
  it("is stored with marks in their places, and becomes whole again (D1)", () => {
    const answer = { action: "accept", content: CONTENT } as const;
    const { stored, secrets } = separateSecrets(REQUEST, answer);
    expect(stored).toEqual({ action: "accept", content: { name: "ada", key: MARK, pin: MARK } });
    expect(secrets).toEqual({ key: "k-123", pin: 4711 });
    expect(missingSecrets({ ...stored })).toEqual(["key", "pin"]);
    expect(withSecrets({ ...stored }, secrets)).toEqual(answer);
  });

  it("is lost without one of them (D1)", () => {
    const stored = { action: "accept", content: { name: "ada", key: MARK, pin: MARK } };
    expect(withSecrets(stored, null)).toBeNull();
    expect(withSecrets(stored, { key: "k-123" })).toBeNull();
    expect(withSecrets(stored, { key: "k-123", name: "eve" })).toBeNull();
  });

  it.each<Json>([
    { action: "decline" },
    { action: "accept" },
    { action: "accept", content: { name: "ada" } },
    "text",
    null,
  ])("%j has none (D1)", (answer) => {
    expect(missingSecrets(answer)).toEqual([]);
    expect(withSecrets(answer, null)).toEqual(answer);
  });

  it("that declines has none (D1)", () => {
    const answer = { action: "decline" } as const;
    expect(separateSecrets(REQUEST, answer)).toEqual({ stored: answer, secrets: null });
  });
});
