import { expect, it } from "vitest";
import { approvalOf } from "./approval.ts";
import { headlineOf, scopeOf } from "./headline.ts";
import { subjectOf } from "./subject.ts";

const OPTIONS = [{ optionId: "y", name: "Yes", kind: "allow_once" }];
const headline = (
  request: Readonly<Record<string, unknown>>,
  changes: Parameters<typeof headlineOf>[1] = [],
) =>
  headlineOf(
    approvalOf({ kind: "permission", request: { ...request, options: OPTIONS } }),
    changes,
  );
const NOTHING = { code: null, counts: null, kind: null, more: null };

it("a change is titled with its file and its lines", () => {
  const change = { path: "/repo/src/retry.ts", oldText: "a\nb\n", newText: "a\nc\nd\n" };
  expect(headline({ title: "Edit src/retry.ts", kind: "edit" }, [change])).toEqual({
    ...NOTHING,
    title: "Edit",
    code: "retry.ts",
    counts: { added: 2, removed: 1 },
  });
  const fresh = { ...change, oldText: null };
  expect(headline({ title: "Mend the wait", kind: "edit" }, [fresh])).toMatchObject({
    title: "Create",
    more: "Mend the wait",
  });
  expect(headline({ title: "Edit", kind: "edit" }, [change, fresh])).toMatchObject({
    title: "Edit 2 files",
    code: null,
    more: null,
  });
});

it("a command that is its own title becomes a sentence", () => {
  const run = (title: string, command: string) =>
    headline({ title, kind: "execute", input: { command } });
  expect(run("`npm test`", "npm test")).toEqual({ ...NOTHING, title: "Run", code: "npm test" });
  const long = `npm test\n${"x".repeat(200)}`;
  expect(run(long, long)).toEqual({ ...NOTHING, title: "Run a command" });
});

it("other titles of agents stay, with the kind of work if they do not begin with it", () => {
  expect(headline({ title: "Count lines", kind: "execute", input: { command: "wc" } })).toEqual({
    ...NOTHING,
    title: "Count lines",
    kind: "Run",
  });
  expect(headline({ title: "Read a.ts", kind: "read" })).toEqual({
    ...NOTHING,
    title: "Read a.ts",
  });
});

it("the scope of an answer for always is that of the server", () => {
  const scope = (request: Readonly<Record<string, unknown>>) =>
    scopeOf(subjectOf(request), "/repo");
  expect(scope({ kind: "edit", locations: ["/repo/src/a.ts"], input: { path: "src/a.ts" } })).toBe(
    "edits of src/a.ts",
  );
  expect(scope({ kind: "edit", locations: ["/repo/a.ts", "/repo/b.ts"] })).toBe(
    "edits of these 2 files",
  );
  expect(scope({ kind: "execute", input: { command: "npm test" } })).toBe("this command");
  expect(scope({ kind: "other", input: { a: 1 } })).toBe("this request");
});
