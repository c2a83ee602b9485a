import { expect, it } from "vitest";
import { safeUrl } from "./safe-url.ts";

it.each([
  ["https://example.org/a?b=c#d", "https://example.org/a?b=c#d"],
  ["HTTP://example.org", "http://example.org/"],
  ["mailto:someone@example.org", "mailto:someone@example.org"],
])("allows the link %s", (address, expected) => {
  expect(safeUrl(address)).toBe(expected);
});

it.each([
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "java\nscript:alert(1)",
  " \u0001javascript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "vbscript:x",
  "file:///etc/passwd",
  "blob:https://example.org/x",
  "streamdown:incomplete-link",
  "/api/sessions",
  "src/main.ts",
  "#fragment",
  "//example.org/x",
  "",
])("rejects the link %j", (address) => {
  expect(safeUrl(address)).toBeNull();
});
