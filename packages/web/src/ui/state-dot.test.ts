import { expect, it } from "vitest";
import { standingOf } from "./state-dot.tsx";

it.each([
  ["active", "idle", "Idle"],
  ["active", "running", "Running"],
  ["active", "suspended", "Needs you"],
  ["suspended", "idle", "Suspended"],
  ["suspended", "suspended", "Needs you"],
  ["archived", "idle", "Archived"],
  ["error", "idle", "Error"],
] as const)("%s and %s is shown as %s (C9)", (status, state, words) => {
  expect(standingOf({ status, state }).words).toBe(words);
});
