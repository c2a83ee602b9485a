import { expect, it } from "vitest";
import { seatbeltProfile } from "./seatbelt.ts";

const MOUNTS = [
  { kind: "read", path: "/usr" },
  { kind: "fresh", path: "/Users/me" },
  { kind: "write", path: "/Users/me/.codex" },
  { kind: "workspace", path: '/Users/me/a "b" \\c' },
  { kind: "fresh", path: "/Users/me/.codex/hidden" },
] as const;

/** The rules after the common ones. */
function rulesOf(ports: readonly number[] | null): readonly string[] {
  const profile = seatbeltProfile({ mounts: MOUNTS, temporary: "/nowhere/tmp", ports });
  const lines = profile.trimEnd().split("\n");
  return lines.slice(lines.findLastIndex((line) => line.includes("/private/var/select")) + 1);
}

it("a profile for macOS allows the mounts in order, so that the last rule for a path counts", () => {
  expect(rulesOf([47_047, 11_434])).toEqual([
    '(allow file-read* (subpath "/usr"))',
    '(deny file-write* (subpath "/usr"))',
    '(deny file-read-data file-write* (subpath "/Users/me"))',
    '(allow file-read* file-write* (subpath "/Users/me/.codex"))',
    String.raw`(allow file-read* file-write* (subpath "/Users/me/a \"b\" \\c"))`,
    '(deny file-read-data file-write* (subpath "/Users/me/.codex/hidden"))',
    '(allow file-read* file-write* (subpath "/nowhere/tmp"))',
    '(allow network-bind network-outbound (subpath "/nowhere/tmp"))',
    '(allow network-bind network-inbound (local ip "localhost:*"))',
    '(allow network-outbound (remote ip "localhost:47047"))',
    '(allow network-outbound (remote ip "localhost:11434"))',
  ]);
  expect(rulesOf(null).at(-1)).toBe("(allow network* system-socket)");
});

it("a profile for macOS denies what it does not allow, and its parentheses match", () => {
  const profile = seatbeltProfile({ mounts: MOUNTS, temporary: "/nowhere/tmp", ports: [] });
  expect(profile.split("\n").slice(0, 2)).toEqual(["(version 1)", "(deny default)"]);
  const code = profile.replaceAll(/#?"(?:\\.|[^"\\])*"/gu, "");
  expect(code.replaceAll(/[^(]/gu, "").length).toBe(code.replaceAll(/[^)]/gu, "").length);
  expect(profile).not.toMatch(/network-outbound \(remote/u);
});
