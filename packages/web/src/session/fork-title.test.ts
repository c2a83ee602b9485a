import { expect, it } from "vitest";
import { forkTitle } from "./fork-title.ts";

it("tells a fork apart from its original, and forks of forks from each other", () => {
  expect(forkTitle("Fix login")).toBe("Fix login (fork)");
  expect(forkTitle("Fix login (fork)")).toBe("Fix login (fork 2)");
  expect(forkTitle("Fix login (fork 9)")).toBe("Fix login (fork 10)");
  expect(forkTitle("x".repeat(500))).toBe(`${"x".repeat(493)} (fork)`);
});
