import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { evolveAll } from "../../../domain/kernel/evolve.ts";
import type { StagedRun } from "../../ports/import-store.ts";
import type { Run } from "../../ports/run-store.ts";
import {
  stagedSession,
  endOf,
  importWhole,
  partOf,
  type StagedSession,
} from "../staged-session.ts";
import { countRows, openRaw } from "../raw-database.ts";
import { beginSession, driveSession, NOON, textOf } from "../session-driver.ts";
import { withStore, type OpenTestStore, type SharedStore } from "./shared-store.ts";

/** Imported sessions with their history. */
export function importContract(shared: SharedStore, open: OpenTestStore): void {
  describe("an imported session", () => {
    it("A13 has all its data, with the same IDs and numbers", async () => {
      const imported = stagedSession({ repoId: shared.repo.id });
      const { session } = imported;
      const done = await importWhole(shared.store, imported);
      const stored = { session, version: 1, lastSeq: 42, owner: null, epoch: 0, agentCursor: null };
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
        imported.runs.map((one) => ({ ...runOf(one), sessionId })),
      );
      expect(await shared.store.readSuspensions(sessionId)).toEqual(
        [...imported.suspensions, ...imported.open].map((one) => ({ ...one, sessionId })),
      );
      expect(await shared.store.readQueue(sessionId)).toEqual([
        {
          messageId: `${sessionId}-m3`,
          runId: `${sessionId}-r3`,
          content: textOf("later"),
          provider: null,
          model: "small",
          settings: { mode: "auto", options: { effort: "low" } },
          queuedAt: NOON + 300,
        },
      ]);
    });

    it("C7 has a log that produces it, with its messages at their old numbers", async () => {
      const imported = stagedSession({ repoId: shared.repo.id });
      await importWhole(shared.store, imported);
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

    it("C3 continues here: its suspensions can be answered, and its queue is delivered", async () => {
      const imported = stagedSession({ repoId: shared.repo.id });
      const { session } = imported;
      await importWhole(shared.store, imported);
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

    it("is found by its title and its messages", async () => {
      const word = `found${randomUUID().replaceAll("-", "")}`;
      const imported = stagedSession({
        repoId: shared.repo.id,
        title: `Title ${word}t`,
        text: `${word}m`,
      });
      await importWhole(shared.store, imported);
      for (const search of [`${word}t`, `${word}m`]) {
        const page = await shared.store.listSessions({ search, limit: 10 });
        expect(page.sessions.map(({ id }) => id)).toEqual([imported.session.id]);
      }
    });

    it("is refused if its ID exists, and leaves the existing session unchanged", async () => {
      const session = await shared.begin({ title: "Mine" });
      const before = await session.stored();
      const imported = stagedSession({ id: session.id, repoId: shared.repo.id });
      expect(await importWhole(shared.store, imported)).toEqual({
        ok: false,
        refused: "session_exists",
      });
      expect(await session.stored()).toEqual(before);
      expect(await session.messages()).toEqual([]);
    });

    it("never takes over messages, runs or suspensions of another session, nor one of its own twice", async () => {
      await withStore(open, async ({ store, location, repo }) => {
        const other = await beginSession(store, { repoId: repo.id });
        const sent = await other.run();
        const suspension = await other.suspend(sent);
        const queued = await other.send("later");
        const before = await countRows(location);
        const mine = stagedSession({ repoId: repo.id });
        const [message, ...messages] = mine.messages;
        const [run, ...runs] = mine.runs;
        const [asked] = mine.suspensions;
        const [openOne] = mine.open;
        const [waiting] = mine.queued;
        if (!message || !run || !asked || !openOne || !waiting) throw new Error("they were made");
        const withMessage = (id: string) => ({
          ...mine,
          messages: [{ ...message, id }, ...messages],
        });
        const taken = { ok: false, refused: "ids_taken" };
        const repeated = (id: string) => ({ ok: false, refused: "repeated", id });
        const attempts: readonly [StagedSession, object][] = [
          [withMessage(sent.messageId), taken],
          [withMessage(queued.messageId), taken],
          [{ ...mine, runs: [{ ...run, id: sent.runId }, ...runs] }, taken],
          [{ ...mine, suspensions: [{ ...asked, id: suspension.id }] }, taken],
          [{ ...mine, open: [{ ...openOne, id: suspension.id }] }, taken],
          [{ ...mine, queued: [{ ...waiting, messageId: queued.messageId }] }, taken],
          [{ ...mine, queued: [{ ...waiting, messageId: sent.messageId }] }, taken],
          [
            { ...mine, messages: [message, { ...message, seq: 5 }, ...messages] },
            repeated(message.id),
          ],
          [{ ...mine, queued: [waiting, waiting] }, repeated(waiting.messageId)],
          [{ ...mine, runs: [run, run, ...runs] }, repeated(run.id)],
          [{ ...mine, suspensions: [asked, asked] }, repeated(asked.id)],
          [
            { ...mine, suspensions: [{ ...asked, runId: sent.runId }] },
            { ok: false, refused: "no_run", suspensionId: asked.id },
          ],
        ];
        for (const [attempt, refusal] of attempts) {
          expect(await importWhole(store, attempt)).toEqual(refusal);
          expect(await countRows(location)).toEqual(before);
        }
        expect((await importWhole(store, mine)).ok).toBe(true);
      });
    });

    it("is refused for a missing repository or a taken agent ID", async () => {
      const taken = await shared.begin({ agentId: `taken-${randomUUID()}` });
      const { agentId } = (await taken.stored()).session;
      const mine = stagedSession({ repoId: shared.repo.id });
      const attempt = (more: Partial<typeof mine.session>) =>
        importWhole(shared.store, { ...mine, session: { ...mine.session, ...more } });
      expect(await attempt({ repoId: "gone" })).toEqual({ ok: false, refused: "repo_missing" });
      expect(await attempt({ agentId })).toEqual({ ok: false, refused: "agent_id_taken" });
      const named = `free-${randomUUID()}`;
      expect(await attempt({ agentId: named })).toMatchObject({ ok: true });
      expect(await shared.store.findSession(named)).toBe(mine.session.id);
    });
  });

  describe("an import in parts", () => {
    it("A13 is a complete session when finished, with any number of messages", async () => {
      const mine = stagedSession({ repoId: shared.repo.id });
      const [message] = mine.messages;
      if (message === undefined) throw new Error("two were made");
      const messages = Array.from({ length: 1_201 }, (_, index) => ({
        ...message,
        id: `${mine.session.id}-long-${index}`,
        seq: index + 2,
      }));
      const staging = stagingOf(mine);
      await shared.store.beginImport({ staging, at: mine.at });
      await shared.store.addToImport({ staging, ...partOf(mine), messages: [] });
      for (const part of [messages.slice(0, 600), messages.slice(600)])
        await shared.store.addToImport({ staging, ...NOTHING, messages: part });
      await shared.store.finishImport({ staging, ...endOf(mine), lastSeq: 1_202 });
      const sessionId = mine.session.id;
      const read = await shared.store.readMessages({ sessionId });
      expect(read.slice(0, -1)).toEqual(
        messages.map((one) => ({ ...one, sessionId, complete: true })),
      );
    });

    it("A13 is invisible before it is finished", async () => {
      await withStore(open, async ({ store, repo }) => {
        const word = "unseen";
        const mine = stagedSession({ repoId: repo.id, title: word, text: word });
        const sessionId = mine.session.id;
        const look = async () => ({
          loaded: (await store.load(sessionId)).found,
          read: (await store.readSession(sessionId)).found,
          found: await store.findSession(sessionId),
          listed: (await store.listSessions({ limit: 10 })).sessions.length,
          total: (await store.listSessions({ limit: 10 })).total,
          counts: (await store.listSessions({ limit: 10 })).counts,
          searched: (await store.listSessions({ limit: 10, search: word })).sessions.length,
          ofRepo: (await store.listSessions({ limit: 10, repoId: repo.id })).total,
          inbox: (await store.openSuspensions()).length,
          unsettled: await store.unsettledSessions(),
          inactive: await store.inactiveSessions({
            statuses: ["active", "suspended", "archived", "error"],
            before: NOON * 2,
            limit: 10,
          }),
          tally: await store.tally(),
          figures: (await store.readFigures({ limit: 10 })).sessions.length,
          setAside: (await store.health()).setAside,
        });
        const before = await look();
        const staging = stagingOf(mine);
        await store.beginImport({ staging, at: mine.at });
        expect(await look()).toEqual(before);
        await store.addToImport({ staging, ...partOf(mine) });
        expect(await look()).toEqual(before);
        await store.finishImport({ staging, ...endOf(mine) });
        expect(await look()).toEqual({
          loaded: "session",
          read: "session",
          found: sessionId,
          listed: 1,
          total: 1,
          counts: { ...before.counts, suspended: 1, badge: expect.any(Number) },
          searched: 1,
          ofRepo: 1,
          inbox: 1,
          unsettled: [sessionId],
          inactive: [sessionId],
          tally: {
            sessions: [{ status: "suspended", state: "suspended", count: 1 }],
            queuedMessages: 1,
          },
          figures: 1,
          setAside: 0,
        });
      });
    });

    it("belongs to one of two processes that begin it", async () => {
      const mine = stagedSession({ repoId: shared.repo.id });
      const [first, second] = [stagingOf(mine), stagingOf(mine)];
      const begun = await Promise.all(
        [first, second].map((staging) => shared.store.beginImport({ staging, at: mine.at })),
      );
      expect(begun).toContainEqual({ ok: true });
      expect(begun).toContainEqual({ ok: false, refused: "being_imported" });
      const [winner, loser] = begun[0]?.ok === true ? [first, second] : [second, first];
      const lost = { ok: false, refused: "import_lost" };
      expect(await shared.store.addToImport({ staging: loser, ...partOf(mine) })).toEqual(lost);
      expect(await shared.store.finishImport({ staging: loser, ...endOf(mine) })).toEqual(lost);
      expect(await shared.store.dropImport(loser)).toBe(true);
      expect(await shared.store.addToImport({ staging: winner, ...partOf(mine) })).toEqual({
        ok: true,
      });
      expect(await shared.store.finishImport({ staging: winner, ...endOf(mine) })).toMatchObject({
        ok: true,
      });
      expect(await shared.store.dropImport(winner)).toBe(true);
      expect((await shared.store.load(mine.session.id)).found).toBe("session");
    });

    it("that is dropped leaves nothing, and is removed in bounded steps", async () => {
      await withStore(open, async ({ store, location, repo }) => {
        const before = await countRows(location);
        const mine = stagedSession({ repoId: repo.id });
        const [message] = mine.messages;
        if (message === undefined) throw new Error("two were made");
        const staging = stagingOf(mine);
        await store.beginImport({ staging, at: mine.at });
        const messages = Array.from({ length: 2_500 }, (_, index) => ({
          ...message,
          id: `${mine.session.id}-long-${index}`,
          seq: index + 2,
        }));
        await store.addToImport({ staging, ...partOf(mine), messages });
        let steps = 1;
        while (!(await store.dropImport(staging))) {
          steps += 1;
          expect(await store.addToImport({ staging, ...NOTHING })).toEqual({
            ok: false,
            refused: "import_lost",
          });
          expect(await store.abandonedImports()).toMatchObject([{ sessionId: mine.session.id }]);
        }
        expect(steps).toBeGreaterThan(4);
        expect(await countRows(location)).toEqual(before);
        expect(await store.abandonedImports()).toEqual([]);
        expect((await importWhole(store, mine)).ok).toBe(true);
      });
    });

    it("that is abandoned is reported, and can be begun again once it is dropped", async () => {
      await withStore(open, async ({ store, location, repo }) => {
        const mine = stagedSession({ repoId: repo.id });
        const staging = stagingOf(mine);
        await store.beginImport({ staging, at: mine.at });
        await store.addToImport({ staging, ...partOf(mine) });
        expect(await store.abandonedImports()).toEqual([]);
        const raw = await openRaw(location);
        await raw.run(`update "NodeLease" set "expiresAt" = 1`);
        await raw.close();
        expect(await store.abandonedImports()).toEqual([staging]);
        const again = stagingOf(mine);
        expect(await store.beginImport({ staging: again, at: mine.at })).toEqual({
          ok: false,
          refused: "left_over",
          staging,
        });
        expect(await store.dropImport(staging)).toBe(true);
        expect(await store.beginImport({ staging: again, at: mine.at })).toEqual({ ok: true });
        expect(await store.addToImport({ staging, ...NOTHING })).toEqual({
          ok: false,
          refused: "import_lost",
        });
      });
    });
  });
}

const NOTHING = { messages: [], runs: [], suspensions: [], queued: [] };

function stagingOf({ session }: StagedSession) {
  return { sessionId: session.id, importId: randomUUID() };
}

function runOf({ continuity: _, handed: __, ...run }: StagedRun): Omit<Run, "sessionId"> {
  return { ...run, filesBefore: null, filesAfter: null };
}
