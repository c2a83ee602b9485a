import { expect, it } from "vitest";
import { subjectOf } from "./subject.ts";

const NOTHING = { tool: null, kind: null, command: null, fields: [], files: [], paths: [] };

it("a command is shown completely, with all other inputs", () => {
  expect(
    subjectOf({
      tool: "Bash",
      kind: "execute",
      input: { command: "npm test", cwd: "/repo", env: { CI: 1 }, note: null },
      locations: ["/repo/a.ts", 7],
    }),
  ).toEqual({
    tool: "Bash",
    kind: "execute",
    command: "npm test",
    fields: [
      { name: "cwd", text: "/repo" },
      { name: "env", text: '{\n  "CI": 1\n}' },
    ],
    files: ["/repo/a.ts"],
    paths: ["/repo/a.ts", "/repo"],
  });
});

it("what the agent says about the request is shown first", () => {
  const { fields } = subjectOf({ description: "to count", input: { command: "wc", cwd: "/repo" } });
  expect(fields).toEqual([
    { name: "description", text: "to count" },
    { name: "cwd", text: "/repo" },
  ]);
});

it("the words of a command are quoted where necessary", () => {
  expect(subjectOf({ input: { command: ["sh", "-c", "rm -rf 'x'"] } })).toEqual({
    ...NOTHING,
    command: String.raw`sh -c 'rm -rf '\''x'\'''`,
  });
  expect(subjectOf({ input: { commands: ["ls", "pwd"] } }).command).toBe("ls\npwd");
});

it("an input that is not an object is shown unchanged", () => {
  expect(subjectOf({ input: "*** Begin Patch" })).toEqual({
    ...NOTHING,
    command: "*** Begin Patch",
  });
  expect(subjectOf({ input: [1, 2] }).command).toBe("[\n  1,\n  2\n]");
  expect(subjectOf({ input: null })).toEqual(NOTHING);
  expect(subjectOf({})).toEqual(NOTHING);
});

it("deceptive characters are escaped", () => {
  expect(subjectOf({ input: { command: "ls \u202Efr- mr" } }).command).toBe(
    String.raw`ls \u{202E}fr- mr`,
  );
});
