import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { decide } from "../../domain/kernel/decide.ts";
import type { RunAtOnce } from "../dialect.ts";
import { listSessions } from "../reads/list-sessions.ts";
import { loadSession } from "../reads/load-session.ts";
import { openSuspensions, sessionsAtWork, unsettledSessions } from "../reads/plain-reads.ts";
import type { Source } from "../reads/source.ts";
import type { SessionQuery } from "../ports/session-store.ts";
import { beginSession, COMPLETED, opening } from "../testing/session-driver.ts";
import { callWrite } from "../writes/writes.ts";
import { openSqliteConnection } from "./connection.ts";
import { SQLITE } from "./sqlite-dialect.ts";
import { addRepo, migratedFile, openTestFile } from "./testing/test-file.ts";

/** The query plans of SQLite. */
async function plansOf(read: (source: Source) => Promise<unknown>): Promise<readonly string[]> {
  const file = await migratedFile();
  const explaining = new DatabaseSync(file);
  // As if there were a session: an empty list is not read.
  explaining.exec(
    `insert into "SessionTally" ("repoId", "status", "count") values ('', 'active', 1)`,
  );
  const plans = new Set<string>();
  const { db, raw } = openSqliteConnection(file, {
    readOnly: true,
    readElsewhere: (text) => {
      const plan = explaining.prepare(`explain query plan ${text}`).all();
      for (const { detail } of plan) plans.add(String(detail));
      return null;
    },
  });
  await read({ db, dialect: SQLITE, report: () => {}, removeAt: () => null });
  explaining.close();
  raw.close();
  return [...plans];
}

describe("the sessions that need attention", () => {
  it("are found by a partial index, however many sessions there are", async () => {
    const plans = await plansOf(async (source) => {
      await openSuspensions(source);
      await unsettledSessions(source);
      await sessionsAtWork(source, { repoId: "r", limit: 1 });
    });
    expect(plans.filter((plan) => /^(SEARCH|SCAN)/u.test(plan))).toEqual([
      "SCAN Suspension USING INDEX suspension_open",
      "SCAN AgentSession USING COVERING INDEX agent_session_at_work",
      "SCAN AgentSession USING INDEX agent_session_queued",
      "SEARCH AgentSession USING INDEX agent_session_by_owner (owner>?)",
      "SEARCH AgentSession USING INDEX agent_session_at_work (state=?)",
    ]);
  });
});

describe("a page of a list", () => {
  it.each([
    ["by_time", {}],
    ["by_status", { statuses: ["active", "suspended"] as const }],
    ["by_repo", { repoId: "r" }],
    ["by_agent", { agentName: "a" }],
    ["by_phase", { phase: "planning" as const }],
    ["at_work", { states: ["running"] as const }],
    ["by_turn", { order: "turn", statuses: ["active", "suspended"] as const }],
    ["by_turn", { order: "turn" }],
    ["by_repo_turn", { order: "turn", repoId: "r" }],
    [
      "by_outcome",
      {
        order: "turn",
        statuses: ["active", "suspended"] as const,
        states: ["idle"] as const,
        outcomes: ["failed", "interrupted"] as const,
      },
    ],
  ] satisfies readonly [string, Partial<SessionQuery>][])(
    "begins on the index %s where the page before it ended, %j",
    async (index, filters) => {
      const plans = await plansOf((source) =>
        listSessions(source, { ...filters, limit: 20, after: { at: 5, id: "s" } }),
      );
      expect(plans).toContainEqual(
        expect.stringMatching(
          new RegExp(
            `SEARCH AgentSession .*agent_session_${index} .*(?:createdAt|lastTurnAt),id\\)<`,
            "u",
          ),
        ),
      );
      expect(plans.filter((plan) => plan.startsWith("SCAN AgentSession"))).toEqual([]);
    },
  );
});

describe("the reads of every output of an agent", () => {
  it("use an index that does not grow with the session's history", async () => {
    const file = await migratedFile();
    const store = await openTestFile(file);
    const session = await beginSession(store, { repoId: await addRepo(store) });
    const sent = await session.run();
    await session.claim();
    await session.put(sent, opening("m-1", "first words"));

    const { raw, db, run } = openSqliteConnection(file, { readOnly: false });
    const plans = new Set<unknown>();
    const explained: RunAtOnce = (text, parameters) => {
      for (const { detail } of raw.prepare(`explain query plan ${text}`).all()) plans.add(detail);
      return run(text, parameters);
    };
    const place = { db, dialect: SQLITE, run: explained } as const;
    const loaded = await loadSession(
      { ...place, report: () => {}, removeAt: () => null },
      session.id,
    );
    if (loaded.found !== "session") throw new Error(loaded.found);
    const before = loaded.stored;
    const ended = decide(before.session, {
      type: "end-run",
      at: session.now,
      runId: sent.runId,
      result: COMPLETED,
      usage: null,
    });
    if (!ended.ok) throw new Error(ended.refusal.code);
    expect(await callWrite(place, "commitChange", { before, events: ended.events })).toMatchObject({
      ok: true,
    });
    raw.close();

    expect(
      [...plans].filter((plan) =>
        /SCAN(?!.* VALUES)|run_by_session|message_by_/u.test(String(plan)),
      ),
    ).toEqual([]);
    expect([...plans]).toContain("SEARCH Run USING INDEX run_at_work (sessionId=?)");
    expect([...plans]).toContain("SEARCH message USING INDEX agent_message_growing (sessionId=?)");
  });
});
