import { describe, expect, it } from "vitest";
import { grantFor, grantOf, grantsIn, toMetadata, withGrant } from "./permission-grant.ts";
import type { PermissionSubject } from "./permission-subject.ts";

const EDIT: PermissionSubject = {
  kind: "edit",
  tool: "Write",
  paths: ["a", "b"],
  command: null,
  folder: null,
  fingerprint: "f1",
};
const RUN: PermissionSubject = {
  ...EDIT,
  kind: "execute",
  paths: ["a"],
  command: { line: "ls", is: "exact" },
  folder: "/repo",
};
const ANSWER = { id: "g", decision: "allow", title: "Write", by: "ada", at: 1 } as const;
const again = (subject: PermissionSubject): PermissionSubject => ({
  ...subject,
  fingerprint: "f2",
});
const covers = (granted: PermissionSubject, requested: PermissionSubject): boolean =>
  grantFor(requested, [grantOf(granted, ANSWER)]) !== null;

describe("a grant", () => {
  it("covers the same request, and the same kind of work on the same files", () => {
    expect(covers(EDIT, EDIT)).toBe(true);
    expect(covers(EDIT, again({ ...EDIT, paths: ["b", "a"] }))).toBe(true);
    expect(covers(EDIT, again({ ...EDIT, paths: ["a"] }))).toBe(false);
    expect(covers(EDIT, again({ ...EDIT, paths: ["a", "b", "c"] }))).toBe(false);
    expect(covers(EDIT, again({ ...EDIT, kind: "delete" }))).toBe(false);
    expect(covers({ ...EDIT, paths: [] }, again({ ...EDIT, paths: [] }))).toBe(false);
    expect(covers({ ...EDIT, kind: "other" }, again({ ...EDIT, kind: "other" }))).toBe(false);
  });

  it("covers the same command in the same folder", () => {
    expect(covers(RUN, again(RUN))).toBe(true);
    expect(covers(RUN, again({ ...RUN, command: { line: "ls; rm x", is: "exact" } }))).toBe(false);
    expect(covers(RUN, again({ ...RUN, folder: "/" }))).toBe(false);
    expect(covers(EDIT, again({ ...EDIT, command: { line: "rm a", is: "exact" } }))).toBe(false);
    const shown: PermissionSubject = { ...RUN, command: { line: "ls", is: "shown" } };
    expect(covers(shown, again(shown))).toBe(false);
    const long: PermissionSubject = { ...RUN, command: { line: "a".repeat(301), is: "exact" } };
    expect([covers(long, long), covers(long, again(long))]).toEqual([true, false]);
  });

  it("overrides earlier grants, and the oldest are dropped beyond the limit", () => {
    const many = Array.from({ length: 101 }, (_, index) =>
      grantOf(EDIT, { ...ANSWER, id: `g${index}` }),
    ).reduce<ReturnType<typeof grantsIn>>(withGrant, []);
    expect([many.length, many[0]?.id, grantFor(EDIT, many)?.id]).toEqual([100, "g1", "g100"]);
  });

  it("is read from metadata unchanged; invalid entries are ignored", () => {
    const grants = [grantOf(EDIT, ANSWER), grantOf(RUN, { ...ANSWER, id: "h", decision: "deny" })];
    expect(grantsIn(toMetadata(grants))).toEqual(grants);
    expect(grantsIn({})).toEqual([]);
    expect(grantsIn({ permissionGrants: "all" })).toEqual([]);
    const bad = [null, [], {}, { id: "x", fingerprint: "f1", at: 1, decision: "yes" }];
    expect(grantsIn({ permissionGrants: bad })).toEqual([]);
  });
});
