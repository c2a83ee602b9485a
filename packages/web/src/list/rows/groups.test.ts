import type { OpenSuspension, Session } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { exampleSession } from "../../api/testing/example-session.ts";
import {
  entriesOf,
  groupOf,
  heldEntries,
  movedCount,
  standingsOf,
  type Entry,
  type Group,
} from "./groups.ts";

const TODAY = "2026-03-02T00:00:00.000Z";
const NOW = "2026-03-02T10:00:00.000Z";
const BEFORE = "2026-03-01T10:00:00.000Z";
const RULES = { lastSeen: () => null, today: TODAY };
const ended = (outcome: "completed" | "failed" | "interrupted" | null, at = NOW) => ({
  lastTurn: { at, outcome, line: null },
});
const waits = (kind: OpenSuspension["kind"]): Partial<Session> => ({
  state: "suspended",
  suspensions: [{ id: "w", kind, request: {}, createdAt: NOW, expiresAt: null }],
});
const CASES: readonly (readonly [Group, Partial<Session>])[] = [
  ["Needs you", waits("permission")],
  ["Running", { state: "running" }],
  ["Running", waits("rate_limit")],
  ["Failed", ended("failed")],
  ["Failed", ended("interrupted", BEFORE)],
  ["Today", ended("completed")],
  ["Earlier", ended("completed", BEFORE)],
  ["Today", { ...ended("failed"), status: "archived" }],
];

describe("a session is listed under", () => {
  it.each(CASES)("%s", (group, changes) => {
    expect(groupOf(exampleSession(changes), RULES)).toBe(group);
  });

  it("Today after its failure was seen, and Failed again after another one", () => {
    const session = exampleSession(ended("failed"));
    expect(groupOf(session, { ...RULES, lastSeen: () => NOW })).toBe("Today");
    expect(groupOf(session, { ...RULES, lastSeen: () => BEFORE })).toBe("Failed");
  });
});

const at = (id: string, time: string, changes = {}) =>
  exampleSession({ id, lastTurn: { at: time, outcome: "completed", line: null }, ...changes });
const idsOf = (entries: readonly Entry[]): string =>
  entries.map(({ session }) => session.id).join("");

describe("the list", () => {
  const a = at("a", "2026-03-02T03:00:00.000Z");
  const b = at("b", "2026-03-02T02:00:00.000Z");
  const c = at("c", "2026-03-02T01:00:00.000Z");
  const entries = entriesOf([b, a, c], RULES);

  it("has each session once, in its newest version, by group and last turn", () => {
    expect(idsOf(entries)).toBe("abc");
    const running = { ...c, state: "running", version: 2 } as const;
    expect(idsOf(entriesOf([a, running, b, c], RULES))).toBe("cab");
  });

  it("holds every session at its place, without those that are gone", () => {
    const stood = standingsOf(entries);
    const now = entriesOf([a, { ...c, state: "running", version: 2 }], RULES);
    expect(idsOf(now)).toBe("ca");
    expect(idsOf(heldEntries(stood, now))).toBe("ac");
    expect(movedCount(heldEntries(stood, now), now)).toBe(1);
  });

  it("holds back a new session above, and adds one at the end", () => {
    const stood = standingsOf(entries);
    const above = at("x", "2026-03-02T09:00:00.000Z");
    const below = at("y", "2026-03-01T09:00:00.000Z");
    const now = entriesOf([a, b, c, above, below], RULES);
    expect(idsOf(heldEntries(stood, now))).toBe("abcy");
    expect(movedCount(heldEntries(stood, now), now)).toBe(1);
    expect(movedCount(now, now)).toBe(0);
  });
});
