import { describe, expect, it } from "vitest";
import type { Json } from "../json.ts";
import { parsePolicy, policyIn } from "./parse-policy.ts";

describe("parsing a policy", () => {
  it("accepts every field", () => {
    expect(parsePolicy({})).toEqual({ ok: true, policy: { rules: [], phases: {} } });
    const rule = { kind: "edit", path: "./src/**", command: "ls", tool: "T", decision: "ask" };
    expect(parsePolicy({ rules: [rule], phases: { planning: [{ decision: "deny" }] } })).toEqual({
      ok: true,
      policy: { rules: [rule], phases: { planning: [{ decision: "deny" }] } },
    });
  });

  it.each<[Json, string, string]>([
    [[], "", "must be an object"],
    [{ rule: [] }, "rule", "is not known"],
    [{ rules: {} }, "rules", "must be a list"],
    [{ rules: [3] }, "rules.0", "must be an object"],
    [{ rules: [{}] }, "rules.0.decision", 'must be "allow", "ask" or "deny"'],
    [{ rules: [{ decision: "allow", paths: [] }] }, "rules.0.paths", "is not known"],
    [{ rules: [{ decision: "allow", kind: 3 }] }, "rules.0.kind", "must be a text"],
    [{ rules: [{ decision: "allow", command: "" }] }, "rules.0.command", "must not be empty"],
    [
      { rules: [{ decision: "allow", path: "a/../b" }] },
      "rules.0.path",
      'must not lead through ".." or "."',
    ],
    [
      { rules: [{ decision: "allow", path: "a/" }] },
      "rules.0.path",
      'must not end with "/"; a folder and all in it is "folder/**"',
    ],
    [
      { rules: [{ decision: "allow", tool: "a".repeat(201) }] },
      "rules.0.tool",
      "must have at most 200 characters",
    ],
    [
      { rules: Array.from({ length: 101 }, () => ({ decision: "allow" })) },
      "rules",
      "must have at most 100 rules",
    ],
    [{ phases: { plan: [] } }, "phases.plan", "is not a phase"],
    [
      { phases: { planning: [{}] } },
      "phases.planning.0.decision",
      'must be "allow", "ask" or "deny"',
    ],
  ])("is refused with the field and the reason: %j", (json, where, reason) => {
    expect(parsePolicy(json)).toEqual({ ok: false, where, reason });
  });
});

describe("the rules in a session's metadata", () => {
  it("are absent, parsed, or ask about everything if they are invalid", () => {
    expect(policyIn({})).toBe(null);
    expect(policyIn({ permissions: null })).toBe(null);
    expect(policyIn({ permissions: { rules: [{ decision: "allow" }] } })).toEqual({
      rules: [{ decision: "allow" }],
      phases: {},
    });
    expect(policyIn({ permissions: "all" })).toEqual({ rules: [{ decision: "ask" }], phases: {} });
  });
});
