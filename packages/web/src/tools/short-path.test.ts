import { expect, it } from "vitest";
import { shortPath } from "./short-path.ts";

it.each([
  ["/repo/src/a.ts", "/repo", "src/a.ts"],
  ["/repo/src/a.ts", "/repo/", "src/a.ts"],
  ["/repository/a.ts", "/repo", "/repository/a.ts"],
  ["/repo", "/repo", "/repo"],
  ["/repo/a.ts", null, "/repo/a.ts"],
])("%s in %s is %s", (path, root, expected) => {
  expect(shortPath(path, root)).toBe(expected);
});
