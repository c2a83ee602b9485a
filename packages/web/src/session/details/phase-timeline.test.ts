import { expect, it } from "vitest";
import { phaseStays } from "./phase-timeline.tsx";
import { AT } from "../testing/samples.ts";

const NOW = Date.parse("2026-01-01T01:00:00.000Z");
const BASE = {
  phase: "initializing",
  phaseHistory: [],
  createdAt: AT,
  finalizedAt: null,
  archivedAt: null,
} as const;

it("the first phase starts with the session", () => {
  expect(phaseStays({ ...BASE, phaseHistory: [] }, NOW)).toEqual([
    { phase: "initializing", since: AT, durationMs: 3_600_000, current: true },
  ]);
});

it("each phase has its start and duration, the last one until now", () => {
  const phaseHistory = [
    { from: "initializing", to: "planning", at: "2026-01-01T00:10:00.000Z", durationMs: 600_000 },
    { from: "planning", to: "executing", at: "2026-01-01T00:30:00.000Z", durationMs: 1_200_000 },
  ] as const;
  expect(phaseStays({ ...BASE, phase: "executing", phaseHistory: [...phaseHistory] }, NOW)).toEqual(
    [
      { phase: "initializing", since: AT, durationMs: 600_000, current: false },
      {
        phase: "planning",
        since: "2026-01-01T00:10:00.000Z",
        durationMs: 1_200_000,
        current: false,
      },
      {
        phase: "executing",
        since: "2026-01-01T00:30:00.000Z",
        durationMs: 1_800_000,
        current: true,
      },
    ],
  );
});

it("a final phase has no duration, and no phase lasts longer than its session", () => {
  const at = "2026-01-01T00:30:00.000Z";
  const history = [{ from: "planning", to: "completed", at, durationMs: null }] as const;
  expect(
    phaseStays({ ...BASE, phase: "completed", phaseHistory: [...history], finalizedAt: at }, NOW),
  ).toEqual([
    { phase: "planning", since: null, durationMs: null, current: false },
    { phase: "completed", since: at, durationMs: null, current: true },
  ]);
  expect(phaseStays({ ...BASE, phaseHistory: [], archivedAt: at }, NOW)[0]?.durationMs).toBe(
    1_800_000,
  );
});
