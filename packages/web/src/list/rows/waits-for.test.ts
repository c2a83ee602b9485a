import { SUSPENSION_KINDS } from "@holdfast/protocol";
import { expect, it } from "vitest";
import { waitsFor } from "./waits-for.ts";

const at = { id: "s1", createdAt: "2026-01-01T00:00:00Z", expiresAt: null };

it("the reason for waiting is one line with the title of the request", () => {
  const request = { title: " Run\n`npm test` " };
  expect(waitsFor({ ...at, kind: "permission", request })).toBe("Permission: Run `npm test`");
  expect(waitsFor({ ...at, kind: "question", request: {} })).toBe("Question");
});

it.each(SUSPENSION_KINDS)("%s has its own words", (kind) => {
  expect(waitsFor({ ...at, kind, request: {} })).toMatch(/^[A-Z]/u);
});
