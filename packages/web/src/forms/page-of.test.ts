import { expect, it } from "vitest";
import { pageOf } from "./page-of.ts";

it.each([
  ["https://a.example/x?y#z", "a.example", true],
  ["http://a.example:8080", "a.example:8080", false],
  ["https://bank.example@evil.example/", "evil.example", true],
  ["https://b\u0430nk.example/", "xn--bnk-6cd.example", true],
])("%s is a page of %s (D1)", (url, host, isEncrypted) => {
  expect(pageOf(url)).toMatchObject({ host, isEncrypted });
});

it.each(["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "a.example", ""])(
  "%j is not a page (D1)",
  (url) => {
    expect(pageOf(url)).toBeNull();
  },
);
