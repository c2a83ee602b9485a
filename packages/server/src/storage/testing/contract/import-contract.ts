import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { evolveAll } from "../../../domain/evolve.ts";
import type { Session } from "../../../domain/session.ts";
import type { ImportedSession, Run, StoredSuspension } from "../../store.ts";
import { countRows } from "../raw-database.ts";
import { beginSession, driveSession, NOON, textOf } from "../session-driver.ts";
import { withStore, type OpenTestStore, type SharedStore } from "./shared-store.ts";

/** Sessions that come from elsewhere with a history of their own. */
export function importContract(shared: SharedStore, open: OpenTestStore): void {
  describe("an imported session", () => {
    it("A13 has everything it came with, under the ids and numbers it had", async () => {
      const imported = arriving({ repoId: shared.repo.id });
      const { session } = imported;
      const done = await shared.store.importSession(imported);
      const stored = { session, version: 1, lastSeq: 42, owner: null, epoch: 0 };
      expect(done).toEqual({ ok: true, stored });
      expect(await shared.store.load(session.id)).toEqual({ found: "session", stored });

      const sessionId = session.id;
      const said = imported.messages.map((one) => ({ ...one, sessionId, complete: true }));
      const [notice] = imported.notices;
      expect(await shared.store.readMessages({ sessionId })).toEqual([
        ...said,
        { ...notice, sessionId, seq: 42, complete: true, at: imported.at },
      ]);
      expect(await shared.store.readRuns(sessionId)).toEqual(
        imported.runs.map((one) => ({ ...one, sessionId })),
      );
      expect(await shared.store.readSuspensions(sessionId)).toEqual(
        imported.suspensions.map((one) => ({ ...one, sessionId })),
      );
      expect(await shared.store.readQueue(sessionId)).toEqual([
        {
          messageId: `${sessionId}-m3`,
          runId: `${sessionId}-r3`,
          content: textOf("later"),
          provider: null,
          model: "small",
          queuedAt: NOON + 300,
        },
      ]);
    });

    it("C7 has a log that folds to it, with its messages at their old numbers", async () => {
      const imported = arriving({ repoId: shared.repo.id });
      await shared.store.importSession(imported);
      const log = await shared.store.readEvents({
        sessionId: imported.session.id,
        after: 0,
        limit: 100,
      });
      expect(log.map(({ seq, kind }) => `${seq} ${kind}`)).toEqual([
        "1 event",
        "3 message",
        "9 message",
        "41 event",
        "42 message",
      ]);
      const events = log.flatMap((entry) => (entry.kind === "event" ? [entry.event] : []));
      expect(evolveAll(null, events)).toEqual(imported.session);
    });

    it("C3 goes on here: what it waits for can be answered, and its queue delivered", async () => {
      const imported = arriving({ repoId: shared.repo.id });
      const { session } = imported;
      await shared.store.importSession(imported);
      const driver = driveSession(shared.store, { id: session.id, now: NOON + 10_000 });
      const suspensionId = `${session.id}-s2`;
      await driver.perform({ type: "answer", suspensionId, answer: { option: "allow" }, by: null });
      expect(await shared.store.readSuspension(suspensionId)).toMatchObject({ status: "answered" });
      await driver.perform({ type: "hand-run", runId: `${session.id}-r2` });
      await driver.end({ messageId: `${session.id}-m2`, runId: `${session.id}-r2` });
      await driver.perform({ type: "update", changes: { delivery: "open" } });
      await driver.perform({
        type: "start-run",
        runId: `${session.id}-r3`,
        start: { provider: "demo", model: null, handed: true },
      });
      const messages = await driver.messages();
      expect(messages.at(-1)).toMatchObject({ id: `${session.id}-m3`, content: textOf("later") });
      expect((await driver.stored()).session.queue).toEqual([]);
    });

    it("is found by its title and by what was said in it", async () => {
      const word = `found${randomUUID().replaceAll("-", "")}`;
      const imported = arriving({
        repoId: shared.repo.id,
        title: `Title ${word}t`,
        text: `${word}m`,
      });
      await shared.store.importSession(imported);
      for (const search of [`${word}t`, `${word}m`]) {
        const page = await shared.store.listSessions({ search, limit: 10 });
        expect(page.sessions.map(({ id }) => id)).toEqual([imported.session.id]);
      }
    });

    it("is refused when there is one of its id, and leaves that one as it is", async () => {
      const session = await shared.begin({ title: "Mine" });
      const before = await session.stored();
      const imported = arriving({ id: session.id, repoId: shared.repo.id });
      expect(await shared.store.importSession(imported)).toEqual({
        ok: false,
        refused: "session_exists",
      });
      expect(await session.stored()).toEqual(before);
      expect(await session.messages()).toEqual([]);
    });

    it("never takes the messages, runs or suspensions of another, and is then not stored at all", async () => {
      await withStore(open, async ({ store, location, repo }) => {
        const other = await beginSession(store, { repoId: repo.id });
        const sent = await other.run();
        const suspension = await other.suspend(sent);
        const queued = await other.send("later");
        const before = await countRows(location);
        const mine = arriving({ repoId: repo.id });
        const [message, ...messages] = mine.messages;
        const [run, ...runs] = mine.runs;
        const [asked, ...others] = mine.suspensions;
        if (message === undefined || run === undefined || asked === undefined)
          throw new Error("they were made");
        const attempts: readonly [ImportedSession, readonly string[]][] = [
          [
            { ...mine, messages: [{ ...message, id: sent.messageId }, ...messages] },
            [sent.messageId],
          ],
          [
            { ...mine, messages: [{ ...message, id: queued.messageId }, ...messages] },
            [queued.messageId],
          ],
          [{ ...mine, runs: [{ ...run, id: sent.runId }, ...runs] }, [sent.runId]],
          [{ ...mine, suspensions: [{ ...asked, id: suspension.id }, ...others] }, [suspension.id]],
        ];
        for (const [attempt, taken] of attempts) {
          expect(await store.importSession(attempt)).toEqual({
            ok: false,
            refused: "ids_taken",
            taken,
          });
          expect(await countRows(location)).toEqual(before);
        }
        expect((await store.importSession(mine)).ok).toBe(true);
      });
    });

    it("with a long history is stored as a whole", async () => {
      const imported = arriving({ repoId: shared.repo.id });
      const [message] = imported.messages;
      if (message === undefined) throw new Error("two were made");
      const messages = Array.from({ length: 501 }, (_, index) => ({
        ...message,
        id: `${imported.session.id}-long-${index}`,
        seq: index + 2,
      }));
      await shared.store.importSession({ ...imported, messages, lastSeq: 502 });
      const sessionId = imported.session.id;
      const read = await shared.store.readMessages({ sessionId });
      expect(read.slice(0, -1)).toEqual(
        messages.map((one) => ({ ...one, sessionId, complete: true })),
      );
    });

    it("is imported once by two at the same moment", async () => {
      const imported = arriving({ repoId: shared.repo.id });
      const done = await Promise.all([
        shared.store.importSession(imported),
        shared.store.importSession(imported),
      ]);
      expect(done.filter(({ ok }) => ok)).toHaveLength(1);
    });
  });
}

/** Suspended, with an ended run, one that waits, and a message in the queue. */
function arriving({
  id = randomUUID(),
  repoId = null,
  title = null,
  text = "hello",
}: {
  id?: string;
  repoId?: string | null;
  title?: string | null;
  text?: string;
}): ImportedSession {
  const entry = {
    messageId: `${id}-m3`,
    runId: `${id}-r3`,
    provider: null,
    model: "small",
    continuity: "required",
    attempts: 0,
  } as const;
  const asked = {
    id: `${id}-s2`,
    kind: "question",
    request: { question: "Which?" },
    fingerprint: null,
    createdAt: NOON + 250,
    expiresAt: null,
  } as const;
  const session: Session = {
    id,
    repoId,
    title,
    standing: {
      status: "suspended",
      activity: {
        state: "suspended",
        run: {
          id: `${id}-r2`,
          messageId: `${id}-m2`,
          provider: "demo",
          model: null,
          continuity: "off",
          handed: true,
          attempts: 2,
        },
        suspensions: [asked],
      },
    },
    delivery: "hold",
    queue: [entry],
    provider: "demo",
    model: null,
    agentName: "ada",
    purpose: null,
    metadata: { z: 1, a: [null] },
    phase: "planning",
    phaseHistory: [{ from: "initializing", to: "planning", at: NOON + 5 }],
    resumeReady: true,
    errorCount: 3,
    lastError: { id: "e", text: "once" },
    supportsResume: true,
    resumeData: { at: 1 },
    forkedFrom: { sessionId: "parent", atMessage: null },
    createdAt: NOON,
    updatedAt: NOON + 5000,
    lastActiveAt: NOON + 400,
    finalizedAt: null,
    summary: null,
  };
  return {
    at: NOON + 5000,
    session,
    lastSeq: 40,
    messages: [
      {
        id: `${id}-m1`,
        runId: `${id}-r1`,
        seq: 3,
        role: "user",
        content: textOf(text),
        at: NOON + 100,
      },
      {
        id: `${id}-m2`,
        runId: `${id}-r2`,
        seq: 9,
        role: "user",
        content: textOf("and"),
        at: NOON + 200,
      },
    ],
    runs: [
      {
        ...run(`${id}-r1`, `${id}-m1`, 100),
        status: "failed",
        error: { code: "agent_exited", message: "gone", detail: null },
        usage: { inputTokens: 1 },
        endedAt: NOON + 150,
      },
      { ...run(`${id}-r2`, `${id}-m2`, 200), status: "suspended", attempts: 2 },
      {
        ...run(`${id}-r3`, `${id}-m3`, 300),
        status: "queued",
        provider: null,
        model: "small",
        attempts: 0,
        startedAt: null,
      },
    ],
    suspensions: [
      {
        ...asked,
        id: `${id}-s1`,
        runId: `${id}-r1`,
        kind: "permission",
        fingerprint: "print",
        createdAt: NOON + 120,
        expiresAt: NOON + 130,
        status: "answered",
        answer: { option: "allow" },
        answeredBy: "ada",
        closedAt: NOON + 125,
      },
      { ...asked, runId: `${id}-r2`, ...OPEN },
    ],
    queued: [{ messageId: entry.messageId, content: textOf("later"), queuedAt: NOON + 300 }],
    notices: [{ id: `${id}-n`, runId: null, role: "system", content: textOf("Imported.") }],
  };
}

const OPEN = {
  status: "open",
  answer: null,
  answeredBy: null,
  closedAt: null,
} as const satisfies Partial<StoredSuspension>;

function run(id: string, messageId: string, afterMs: number): Omit<Run, "sessionId"> {
  return {
    id,
    messageId,
    status: "completed",
    provider: "demo",
    model: null,
    attempts: 1,
    stopReason: null,
    error: null,
    usage: null,
    memory: null,
    queuedAt: NOON + afterMs,
    startedAt: NOON + afterMs + 1,
    endedAt: null,
  };
}
