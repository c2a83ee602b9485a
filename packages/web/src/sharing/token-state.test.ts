import { expect, it } from "vitest";
import { isUsable } from "./token-state.ts";

it("a token is accepted until it is revoked or expires", () => {
  const at = "2026-01-31T00:00:00.000Z";
  const nowMs = Date.parse(at);
  expect(isUsable({ revokedAt: null, expiresAt: null }, nowMs)).toBe(true);
  expect(isUsable({ revokedAt: null, expiresAt: at }, nowMs - 1)).toBe(true);
  expect(isUsable({ revokedAt: null, expiresAt: at }, nowMs)).toBe(false);
  expect(isUsable({ revokedAt: at, expiresAt: null }, nowMs)).toBe(false);
});
