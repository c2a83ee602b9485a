import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PermissionGrant } from "./permission-grant.ts";
import {
  decidePermission,
  PERMISSION_DECISIONS,
  type PermissionCase,
  type PermissionPolicy,
  type PermissionRule,
} from "./permission-policy.ts";
import { type PermissionSubject } from "./permission-subject.ts";

const rules = (...list: readonly PermissionRule[]): PermissionPolicy => ({
  rules: list,
  phases: {},
});

const NOTHING: PermissionSubject = {
  kind: null,
  tool: null,
  paths: [],
  command: null,
  folder: null,
  fingerprint: "f",
};
const edit = (...paths: readonly string[]): PermissionSubject => ({
  ...NOTHING,
  kind: "edit",
  paths,
});
const run = (line: string): PermissionSubject => ({
  ...NOTHING,
  kind: "execute",
  command: { line, is: "exact" },
});

function decide(
  subject: PermissionSubject,
  policy: PermissionPolicy | null,
  more: Partial<PermissionCase> = {},
): string {
  const { decision, by } = decidePermission({
    subject,
    phase: "executing",
    configured: policy,
    own: null,
    grants: [],
    ...more,
  });
  return by === null ? decision : `${decision}: ${by}`;
}

const ALLOW_GIT = rules({ kind: "execute", command: "git *", decision: "allow" });

describe("a policy", () => {
  it("without rules asks a person", () => {
    expect(decide(edit("a"), null)).toBe("ask");
    expect(decide(edit("a"), rules())).toBe("ask");
  });

  it("decides by the first rule that covers the request", () => {
    const policy = rules(
      { kind: "edit", path: "docs/**", decision: "allow" },
      { kind: "edit", path: "docs/secret/**", decision: "deny" },
      { kind: "edit", decision: "ask" },
      { decision: "deny" },
    );
    expect(decide(edit("docs/a.md"), policy)).toBe("allow: permissions.rules[0]");
    expect(decide(edit("docs/secret/a"), policy)).toBe("allow: permissions.rules[0]");
    expect(decide(edit("src/a"), policy)).toBe("ask: permissions.rules[2]");
    expect(decide(run("ls"), policy)).toBe("deny: permissions.rules[3]");
  });

  it("allows files only if all are covered, and denies if one is (C3)", () => {
    const policy = rules(
      { path: "secret/**", decision: "deny" },
      { kind: "edit", path: "src/**", decision: "allow" },
    );
    expect(decide(edit("src/a", "src/b"), policy)).toBe("allow: permissions.rules[1]");
    expect(decide(edit("src/a", "lib/b"), policy)).toBe("ask");
    expect(decide(edit("src/a", "secret/b"), policy)).toBe("deny: permissions.rules[0]");
  });

  it("allows nothing outside the repository, whatever the rule (C3)", () => {
    for (const path of ["/etc/passwd", "../x", "src/../../x", "~/x", "/"]) {
      for (const rule of [{}, { kind: "edit" }, { path: "**" }, { path: "/etc/*" }]) {
        expect(decide(edit(path), rules({ ...rule, decision: "allow" }))).toBe("ask");
      }
    }
    expect(decide(edit("/etc/passwd"), rules({ path: "/etc/**", decision: "deny" }))).toBe(
      "deny: permissions.rules[0]",
    );
  });

  it("allows a command line if it allows each command in it (C3)", () => {
    const policy = rules(
      { kind: "execute", command: "git *", decision: "allow" },
      { kind: "execute", command: "npm test", decision: "allow" },
      { kind: "execute", command: "rm *", decision: "deny" },
    );
    expect(decide(run("git status"), policy)).toBe("allow: permissions.rules[0]");
    expect(decide(run("git status && npm test"), policy)).toBe(
      "allow: permissions.rules[0], permissions.rules[1]",
    );
    expect(decide(run("git status; ls"), policy)).toBe("ask");
    expect(decide(run("git status; rm -rf /"), policy)).toBe("deny: permissions.rules[2]");
    expect(decide(run("git status $(rm -rf /)"), policy)).toBe("deny: permissions.rules[2]");
    expect(decide(run("git status > x"), policy)).toBe("ask: permissions.rules[2]");
    expect(decide(run("git log -S 'a; rm b'"), policy)).toBe("allow: permissions.rules[0]");
    expect(decide(run("rm"), policy)).toBe("deny: permissions.rules[2]");
  });

  it("asks if a request may be denied, and denies if it certainly is", () => {
    const policy = rules(
      { command: "rm *", decision: "deny" },
      { kind: "execute", decision: "allow" },
    );
    expect(decide(run("ls"), policy)).toBe("allow: permissions.rules[1]");
    expect(decide(run("$X y"), policy)).toBe("ask: permissions.rules[0]");
    const shown = { ...run("rm a (tidy)"), command: { line: "rm a (tidy)", is: "shown" } as const };
    expect(decide(shown, policy)).toBe("deny: permissions.rules[0]");
    expect(decide({ ...shown, command: { line: "ls", is: "shown" } }, policy)).toBe(
      "ask: permissions.rules[0]",
    );
    expect(decide({ ...NOTHING, kind: "execute" }, policy)).toBe("ask: permissions.rules[0]");
    const files = rules(
      { path: "secret/**", decision: "deny" },
      { kind: "edit", decision: "allow" },
    );
    expect(decide(edit(), files)).toBe("ask: permissions.rules[0]");
    const kinds = rules({ kind: "edit", decision: "deny" }, { decision: "allow" });
    expect(decide({ ...NOTHING, kind: "other" }, kinds)).toBe("ask: permissions.rules[0]");
    expect(decide({ ...NOTHING, kind: "fetch" }, kinds)).toBe("allow: permissions.rules[1]");
  });

  it("treats a command as one, whatever kind the agent gives it", () => {
    const policy = rules({ kind: "read", decision: "allow" });
    expect(decide({ ...run("cat a; rm b"), kind: "read" }, policy)).toBe("ask");
    expect(
      decide({ ...run("rm b"), paths: ["src/b"] }, rules({ path: "src/**", decision: "allow" })),
    ).toBe("ask");
    expect(
      decide({ ...run("ls"), kind: "read" }, rules({ kind: "execute", decision: "deny" })),
    ).toBe("deny: permissions.rules[0]");
  });

  it("matches tools by name if the agent names them", () => {
    const policy = rules({ tool: "mcp__*", decision: "deny" }, { tool: "Web*", decision: "allow" });
    expect(decide({ ...NOTHING, tool: "mcp__db" }, policy)).toBe("deny: permissions.rules[0]");
    expect(decide({ ...NOTHING, tool: "WebFetch" }, policy)).toBe("allow: permissions.rules[1]");
    expect(decide(NOTHING, policy)).toBe("ask: permissions.rules[0]");
  });

  it("applies rules of the phase first, and denies changes while planning (C3)", () => {
    const policy: PermissionPolicy = {
      rules: [{ kind: "edit", decision: "allow" }],
      phases: {
        planning: [{ kind: "edit", path: "plans/**", decision: "allow" }],
        executing: [{ kind: "edit", path: "vendor/**", decision: "deny" }],
      },
    };
    const during = (phase: PermissionCase["phase"], path: string): string =>
      decide(edit(path), policy, { phase });
    expect(during("planning", "plans/a")).toBe("allow: permissions.phases.planning[0]");
    expect(during("planning", "src/a")).toBe("deny: no edit while planning");
    expect(during("investigating", "src/a")).toBe("deny: no edit while investigating");
    expect(during("executing", "vendor/a")).toBe("deny: permissions.phases.executing[0]");
    expect(during("executing", "src/a")).toBe("allow: permissions.rules[0]");
    expect(decide(edit("a"), null, { phase: "planning" })).toBe("ask");
  });
});

describe("a session's rules and grants", () => {
  const own = rules({ kind: "execute", decision: "allow" });
  const grant: PermissionGrant = {
    id: "g",
    decision: "allow",
    scope: "session",
    title: "rm x",
    kind: "execute",
    paths: [],
    command: "rm x",
    folder: null,
    fingerprint: "other",
    by: null,
    at: 1,
  };

  it("precede the operator's rules, except denials and possible denials (C3)", () => {
    expect(decide(run("ls"), rules({ decision: "ask" }), { own })).toBe(
      "allow: session permissions.rules[0]",
    );
    expect(decide(run("rm x"), rules({ command: "rm *", decision: "deny" }), { own })).toBe(
      "deny: permissions.rules[0]",
    );
    const shadowed = rules(
      { kind: "execute", decision: "ask" },
      { command: "rm *", decision: "deny" },
    );
    expect(decide(run("rm x"), shadowed, { own })).toBe("ask: permissions.rules[0]");
    expect(decide(run("$X"), rules({ command: "rm *", decision: "deny" }), { own })).toBe(
      "ask: permissions.rules[0]",
    );
    expect(decide(run("git x"), ALLOW_GIT, { own: rules({ decision: "deny" }) })).toBe(
      "deny: session permissions.rules[0]",
    );
  });

  it("let a grant precede everything except a denial (C3)", () => {
    const grants = [grant];
    expect(decide(run("rm x"), rules({ decision: "ask" }), { grants })).toBe("allow: grant g");
    expect(decide(run("rm y"), null, { grants })).toBe("ask");
    expect(decide({ ...run("rm x"), folder: "/elsewhere" }, null, { grants })).toBe("ask");
    expect(decide(run("rm x"), rules({ command: "rm *", decision: "deny" }), { grants })).toBe(
      "deny: permissions.rules[0]",
    );
    const never = [grant, { ...grant, id: "h", decision: "deny" as const }];
    expect(decide(run("rm x"), rules({ decision: "allow" }), { grants: never })).toBe(
      "deny: grant h",
    );
  });
});

describe("for all rules and requests", () => {
  const word = fc.constantFrom("git status", "rm x", "ls", "npm test");
  const joint = fc.constantFrom("; ", " && ", " | ", "\n", " & ", " || ");
  const condition = fc.record(
    {
      kind: fc.constantFrom("execute", "edit", "read", "other"),
      path: fc.constantFrom("src/**", "*", "**"),
      command: fc.constantFrom("git *", "rm *", "*", "ls"),
      tool: fc.constantFrom("Bash", "*"),
    },
    { requiredKeys: [] },
  );
  const rule = fc
    .tuple(condition, fc.constantFrom(...PERMISSION_DECISIONS))
    .map(([conditions, decision]): PermissionRule => ({ ...conditions, decision }));
  const policy = fc.array(rule, { maxLength: 5 }).map((list) => rules(...list));
  const subject = fc
    .record({
      kind: fc.constantFrom("execute", "edit", "other", null),
      tool: fc.constantFrom("Bash", null),
      paths: fc.array(fc.constantFrom("src/a", "lib/b", "/etc/x"), { maxLength: 2 }),
      line: fc.option(fc.tuple(word, joint, word).map((pieces) => pieces.join(""))),
    })
    .map(({ line, ...rest }): PermissionSubject => {
      const command = line === null ? null : { line, is: "exact" as const };
      return { ...NOTHING, ...rest, command };
    });

  it("a denial before any other rules is never overridden by them (C3)", () => {
    fc.assert(
      fc.property(condition, policy, policy, subject, (conditions, configured, own, request) => {
        const denial: PermissionRule = { ...conditions, decision: "deny" };
        const alone = decide(request, rules(denial));
        const all = decide(request, rules(denial, ...configured.rules), { own });
        const mayBe = alone.startsWith("ask:") ? ["ask", "deny"] : [...PERMISSION_DECISIONS];
        const expected = alone.startsWith("deny") ? ["deny"] : mayBe;
        expect(expected).toContain(all.split(":")[0]);
      }),
    );
  });

  it("a line is allowed only if each of its commands is (C3)", () => {
    fc.assert(
      fc.property(policy, word, joint, word, (configured, one, between, other) => {
        const whole = decide(run(one + between + other), configured).split(":")[0];
        const each = [one, other].map((line) => decide(run(line), configured).split(":")[0]);
        const expected = ["deny", "ask", "allow"].find((decision) => each.includes(decision));
        expect(whole).toBe(expected);
      }),
    );
  });

  it("no rule about commands allows a line that cannot be parsed (C3)", () => {
    const odd = fc.constantFrom("$(x)", "`x`", "$x", ">x", "<x", "(x)", "\r", "'", '"', "\\");
    const patterns = fc.array(fc.constantFrom("git *", "*", "git status*"), { minLength: 1 });
    fc.assert(
      fc.property(patterns, fc.string(), odd, (commands, text, oddity) => {
        const list = commands.map((command): PermissionRule => ({
          kind: "execute",
          command,
          decision: "allow",
        }));
        const line = `git status ${text.replaceAll(/["'\\]/gu, "")}${oddity}`;
        expect(decide(run(line), rules(...list))).toBe("ask");
      }),
    );
  });

  it("nothing outside the repository is allowed (C3)", () => {
    fc.assert(
      fc.property(policy, policy, subject, (configured, own, request) => {
        const outside = { ...request, paths: [...request.paths, "/etc/x"] };
        expect(decide(outside, configured, { own })).not.toMatch(/^allow/u);
      }),
    );
  });
});
