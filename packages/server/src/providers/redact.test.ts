import { expect, it } from "vitest";
import { createRedact } from "./redact.ts";

it("secrets are removed from text and from JSON", () => {
  const secret = 'pass"word\\1\n2';
  const redact = createRedact(["sk-123", secret, "1", ""]);
  expect(redact("key=sk-123, again sk-123")).toBe("key=[redacted], again [redacted]");
  expect(redact(`raw ${secret}.`)).toBe("raw [redacted].");
  expect(redact(JSON.stringify({ secret }))).toBe('{"secret":"[redacted]"}');
  expect(redact(JSON.stringify(JSON.stringify({ secret })))).not.toContain("word");
  expect(redact("1 + 1 = 2")).toBe("1 + 1 = 2");
});

it("a secret that is part of another one is removed, too", () => {
  expect(createRedact(["abcd", "abcdefgh"])("abcdefgh abcd")).toBe("[redacted] [redacted]");
});
