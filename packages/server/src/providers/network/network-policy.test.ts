import { describe, expect, it } from "vitest";
import {
  allowsHost,
  allowsLocal,
  limitsHosts,
  rulesOf,
  whyNoHost,
  whyNoLocal,
} from "./network-policy.ts";

describe("the network of a provider", () => {
  it.each([
    ["api.example.com", "api.example.com", 443, true],
    ["API.Example.com", "api.example.com", 80, true],
    ["api.example.com:443", "api.example.com", 80, false],
    ["*.example.com", "a.b.example.com", 1, true],
    ["*.example.com", "example.com", 443, false],
    ["*.example.com", "evilexample.com", 443, false],
    ["*.0.0.1", "127.0.0.1", 80, false],
    ["[2001:DB8::1]:443", "2001:db8::1", 443, true],
    ["192.0.2.7", "192.0.2.77", 443, false],
  ])("%s and %s:%i: %s", (pattern, host, port, isAllowed) => {
    expect(whyNoHost(pattern)).toBeNull();
    expect(allowsHost(rulesOf({ hosts: [pattern] }), { host, port })).toBe(isAllowed);
  });

  it.each(["", "*", "https://a.com", "a.com/x", "a.com:0", "a.com:99999", "a b", "[nope]", "::1"])(
    "%j is no host",
    (text) => expect(whyNoHost(text)).toContain("must be a host"),
  );

  it.each(["localhost", "localhost:80", "*:11434", "http://localhost:11434", "localhost:x"])(
    "%j is no service of this machine",
    (text) => expect(whyNoLocal(text)).toMatch(/^must /u),
  );

  it("names of loopback are equal, and ports are not", () => {
    const rules = rulesOf({ local: ["localhost:11434", "192.0.2.2:5432"] });
    const allowed = ["localhost", "127.0.0.1", "::1", "192.0.2.2"].map((host) => [
      allowsLocal(rules, { host, port: 11_434 }),
      allowsLocal(rules, { host, port: 5432 }),
    ]);
    expect(allowed).toEqual([
      [true, false],
      [true, false],
      [true, false],
      [false, true],
    ]);
  });

  it("limits hosts only if it is off or names them", () => {
    const policies = [
      "open",
      "shared",
      { local: ["localhost:11434"] },
      "off",
      { hosts: [] },
    ] as const;
    expect(policies.map(limitsHosts)).toEqual([false, false, false, true, true]);
  });
});
