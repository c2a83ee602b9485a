import { describe, expect, it } from "vitest";
import { parseReadiness } from "./readiness.ts";

describe("parseReadiness", () => {
  it("reads the whole answer of a ready server", () => {
    expect(
      parseReadiness({
        status: "ready",
        version: "0.1.0",
        startedAt: "2026-11-15T03:00:00.000Z",
        database: { engine: "sqlite", schema: "0002-search" },
        sessions: { active: 3, suspended: 1, archived: 12, error: 0, badge: 4 },
        setAside: 2,
      }),
    ).toEqual({
      ready: true,
      version: "0.1.0",
      startedAt: new Date("2026-11-15T03:00:00.000Z"),
      engine: "sqlite",
      schema: "0002-search",
      sessions: [
        { status: "active", count: 3 },
        { status: "suspended", count: 1 },
        { status: "archived", count: 12 },
        { status: "error", count: 0 },
      ],
      setAside: 2,
    });
  });

  const bare = {
    ready: false,
    version: null,
    startedAt: null,
    engine: null,
    schema: null,
    sessions: [],
    setAside: 0,
  };

  it.each([
    ["nothing but its status", { status: "unready" }],
    [
      "parts of the wrong type",
      { status: "unready", version: 1, startedAt: "soon", database: "x" },
    ],
    [
      "counts that are none",
      { status: "unready", sessions: { active: -1, error: "2" }, setAside: 0.5 },
    ],
    ["nulls", { status: "unready", version: null, database: null, sessions: null, setAside: null }],
  ])("leaves out what it does not understand: %s", (_, body) => {
    expect(parseReadiness(body)).toEqual(bare);
  });

  it.each([[null], ["ready"], [[]], [{}], [{ status: "fine" }], [undefined]])(
    "does not take %j for an answer",
    (body) => {
      expect(parseReadiness(body)).toBeNull();
    },
  );
});
