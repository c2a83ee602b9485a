import { NEW_FOLDER } from "../../../domain/files/session-folder.ts";
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { evolveAll } from "../../../domain/kernel/evolve.ts";
import { IDLE, type Session } from "../../../domain/session.ts";
import { NOON } from "../session-driver.ts";
import type { SharedStore } from "./shared-store.ts";

/** An imported session in one event: as a new session, or in place of an existing one. */
export function replacedContract(shared: SharedStore): void {
  describe("a session imported in one event", () => {
    it("B8 is stored unchanged, and found by its names", async () => {
      const session = foreign({ agentName: "lamplighter" });
      const committed = await shared.store.commit({ before: null, events: [imported(session)] });
      expect(committed).toMatchObject({ ok: true, firstSeq: 1, lastSeq: 1 });
      expect(await shared.store.load(session.id)).toEqual({
        found: "session",
        stored: { session, version: 1, lastSeq: 1, owner: null, epoch: 0, agentCursor: null },
      });
      expect(await shared.store.findSession(session.agentId ?? "")).toBe(session.id);
      expect(await found(shared, "lamplighter")).toEqual([session.id]);
    });

    it("B8 replaces the existing session, and keeps its ID, messages and log", async () => {
      const begun = await shared.begin({ purpose: "weathervane" });
      await begun.end(await begun.run("What was said stays."));
      const before = await begun.stored();
      const messages = await begun.messages();
      const log = await begun.log();
      const { agentId } = foreign();
      const session: Session = {
        ...before.session,
        agentId,
        agentName: "tinker",
        purpose: null,
        metadata: { only: "this" },
        phase: "approval",
        phaseHistory: [{ from: "planning", to: "approval", at: NOON }],
        errorCount: 2,
        updatedAt: NOON + 100_000,
        lastActiveAt: NOON + 100_000,
      };
      const event = imported(session);

      expect(await shared.store.commit({ before, events: [event] })).toMatchObject({ ok: true });

      const after = await begun.stored();
      expect(after).toEqual({
        ...before,
        session,
        version: before.version + 1,
        lastSeq: before.lastSeq + 1,
      });
      expect(await begun.messages()).toEqual(messages);
      const whole = await begun.log();
      expect(whole).toEqual([...log, { kind: "event", seq: after.lastSeq, at: event.at, event }]);
      const events = whole.flatMap((entry) => (entry.kind === "event" ? [entry.event] : []));
      expect(evolveAll(null, events)).toEqual(session);
      expect(await found(shared, "tinker")).toEqual([begun.id]);
      expect(await found(shared, "weathervane")).toEqual([]);
    });

    it("B8 is found among many by its ID or its agent ID", async () => {
      const [first, second] = [foreign(), foreign()];
      // One session's agent ID is another session's ID. The ID takes precedence.
      const misnamed = foreign({ agentId: first.id });
      for (const session of [first, second, misnamed])
        await shared.store.commit({ before: null, events: [imported(session)] });
      const names = [first.id, second.agentId ?? "", misnamed.id, "unknown"];
      const found = await shared.store.findSessions(names);
      expect(found).toEqual(
        new Map([
          [first.id, first.id],
          [second.agentId, second.id],
          [misnamed.id, misnamed.id],
        ]),
      );
      expect(await shared.store.findSessions([])).toEqual(new Map());
    });

    it("B8 is refused when the session has changed since, or another session has the agent ID", async () => {
      const begun = await shared.begin();
      const before = await begun.stored();
      await begun.perform({ type: "update", changes: { title: "Faster" } });
      const replaced = imported({ ...before.session, title: "Slower" });
      expect(await shared.store.commit({ before, events: [replaced] })).toEqual({
        ok: false,
        refused: "conflict",
      });
      const first = foreign();
      await shared.store.commit({ before: null, events: [imported(first)] });
      const second = { ...foreign(), agentId: first.agentId };
      expect(await shared.store.commit({ before: null, events: [imported(second)] })).toEqual({
        ok: false,
        refused: "agent_id_taken",
      });
      expect(await shared.store.load(second.id)).toEqual({ found: "nothing" });
    });
  });
}

function imported(session: Session) {
  return { type: "session.imported", at: NOON + 200_000, session } as const;
}

async function found({ store }: SharedStore, search: string): Promise<readonly string[]> {
  const page = await store.listSessions({ search, limit: 10 });
  return page.sessions.map(({ id }) => id);
}

function foreign(more: Partial<Session> = {}): Session {
  const id = randomUUID();
  return {
    id,
    agentId: `agent-${id.slice(0, 8)}`,
    repoId: null,
    title: null,
    standing: { status: "active", activity: IDLE },
    delivery: "open",
    queue: [],
    provider: null,
    model: null,
    settings: [],
    agentName: null,
    purpose: null,
    mcpServers: {},
    directories: [],
    metadata: { ключ: ["✓", null, 1.5] },
    phase: "completed",
    phaseHistory: [{ from: "initializing", to: "completed", at: NOON - 5_000 }],
    resumeReady: false,
    errorCount: 1,
    errorTotal: 1,
    lastError: { id: "e1", text: "Once.", at: null },
    lastRun: null,
    supportsResume: false,
    supportsSteering: false,
    resumeData: [],
    forkedFrom: null,
    ...NEW_FOLDER,
    createdAt: NOON - 10_000,
    updatedAt: NOON - 5_000,
    lastActiveAt: NOON - 5_000,
    lastTurn: { at: NOON - 6_000, outcome: "completed", line: "Done." },
    finalizedAt: NOON - 5_000,
    summary: "Done.",
    ...more,
  };
}
