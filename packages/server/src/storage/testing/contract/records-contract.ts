import { NEW_RUN_FILES } from "../../../domain/files/working-files.ts";
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { RunStatus } from "../../../domain/run.ts";
import type { TimePage, StoredSuspension } from "../../ports/run-store.ts";
import type { Repo } from "../../ports/repository-store.ts";
import { openRaw } from "../raw-database.ts";
import { beginSession, HANDED, NOON } from "../session-driver.ts";
import { addRepo, withStore, type OpenTestStore, type SharedStore } from "./shared-store.ts";

/** Reads of repositories, runs, suspensions, and of sessions that need attention. */
export function recordsContract(shared: SharedStore, open: OpenTestStore): void {
  describe("repositories", () => {
    it("are found by ID and listed by name; a known path keeps its first ID", async () => {
      const [b, a] = [await addRepo(shared.store, "b"), await addRepo(shared.store, "a")];
      const again: Repo = { id: randomUUID(), path: b.path, name: "other", createdAt: 2 };
      expect(await shared.store.addRepo(again)).toEqual(b);
      expect(await shared.store.readRepo(b.id)).toEqual(b);
      expect(await shared.store.readRepo(again.id)).toBeNull();
      const listed = await shared.store.listRepos();
      expect(listed.filter(({ id }) => id !== shared.repo.id)).toEqual([a, b]);
    });

    it("accept a label, also later, and keep it", async () => {
      const { id, path, name, createdAt } = await addRepo(shared.store);
      const again: Repo = { id: randomUUID(), path, name: "other", createdAt: 2 };
      const labelled: Repo = { id, path, name, createdAt, label: "gpu" };
      expect(await shared.store.addRepo({ ...again, label: "gpu" })).toEqual(labelled);
      expect(await shared.store.addRepo(again)).toEqual(labelled);
      expect(await shared.store.readRepo(id)).toEqual(labelled);
      expect(await shared.store.removeRepo(id)).toBe("removed");
    });

    it("A1 cannot be removed while a session uses them", async () => {
      const repo = await addRepo(shared.store);
      const session = await shared.begin({ repoId: repo.id });
      expect(await shared.store.removeRepo(repo.id)).toBe("in_use");
      await session.perform({ type: "archive" });
      expect(await shared.store.removeRepo(repo.id)).toBe("in_use");
      await session.perform({ type: "delete" });
      expect(await shared.store.removeRepo(repo.id)).toBe("removed");
      expect(await shared.store.removeRepo(repo.id)).toBe("missing");
      expect(await shared.store.readRepo(repo.id)).toBeNull();
    });
  });

  describe("runs", () => {
    it("are stored with their results, in the order in which they were queued", async () => {
      const session = await shared.begin();
      const first = await session.send("a", {
        start: { provider: "demo", model: "large", handed: false },
      });
      const second = await session.send("b", { provider: "other", model: "small" });
      await session.perform({ type: "hand-run", runId: first.runId });
      const error = { code: "overloaded", message: "try later", detail: null };
      await session.perform({ type: "retry-run", runId: first.runId, error });
      const memory = { how: "briefed", given: 2, of: 5 } as const;
      await session.perform({ type: "hand-run", runId: first.runId, memory });
      await session.perform({
        type: "end-run",
        runId: first.runId,
        result: { outcome: "completed", stopReason: "end_turn" },
        usage: { tokens: { in: 1, out: 2 } },
      });
      const [done, queued] = await shared.store.readRuns(session.id);
      expect(done).toEqual({
        id: first.runId,
        sessionId: session.id,
        messageId: first.messageId,
        status: "completed",
        provider: "demo",
        model: "large",
        attempts: 2,
        stopReason: "end_turn",
        // A retried failure is not the reason for the end of the run.
        error: null,
        usage: { tokens: { in: 1, out: 2 } },
        memory,
        unusedAnswers: [],
        ...NEW_RUN_FILES,
        queuedAt: NOON + 1000,
        startedAt: NOON + 1000,
        endedAt: NOON + 6000,
      });
      expect(queued).toMatchObject({
        id: second.runId,
        status: "queued",
        provider: "other",
        startedAt: null,
      });
      expect(await shared.store.readRun(first.runId)).toEqual(done);
      expect(await shared.store.readRun(randomUUID())).toBeNull();
      expect(await shared.store.readRuns(randomUUID())).toEqual([]);
      const found = await shared.store.findRuns([second.runId, randomUUID(), first.runId]);
      expect(new Set(found)).toEqual(new Set([done, queued]));
      expect(await shared.store.findRuns([first.runId])).toEqual([done]);
    });

    it("C3 keep unused answers, which are shown until they are dismissed or a message follows", async () => {
      const { store } = shared;
      const unused = { suspensionId: "p1", title: "Write a.txt", answer: { optionId: "yes" } };
      const endWithout = async () => {
        const session = await shared.begin();
        const { runId } = await session.run();
        const result = { outcome: "completed", stopReason: "end_turn" } as const;
        await session.perform({
          type: "end-run",
          runId,
          result,
          usage: null,
          unusedAnswers: [unused],
        });
        return { session, sessionId: session.id, runId };
      };
      const shownOf = async (id: string) =>
        (await store.unusedAnswers()).filter(({ sessionId }) => sessionId === id);
      const { session, sessionId, runId } = await endWithout();
      const other = await endWithout();
      const shown = { ...unused, sessionId, runId, at: session.now };
      expect(await shownOf(sessionId)).toEqual([shown]);
      expect(await store.readRun(runId)).toMatchObject({ unusedAnswers: [unused] });

      expect(await store.dismissUnused({ sessionId: other.sessionId, runId })).toBe(false);
      expect(await store.dismissUnused({ sessionId, runId })).toBe(true);
      expect(await store.dismissUnused({ sessionId, runId })).toBe(false);
      expect(await shownOf(sessionId)).toEqual([]);
      expect(await store.readRun(runId)).toMatchObject({ unusedAnswers: [unused] });

      expect(await shownOf(other.sessionId)).toHaveLength(1);
      await other.session.send("Again.");
      expect(await shownOf(other.sessionId)).toEqual([]);
    });

    it("are read by status", async () => {
      const session = await shared.begin();
      await session.end(await session.run());
      const { runId } = await session.run();
      await session.send("later");
      const read = async (...statuses: RunStatus[]): Promise<readonly string[]> =>
        (await shared.store.readRuns(session.id, { statuses, limit: 10 })).map(({ id }) => id);
      expect(await read("running")).toEqual([runId]);
      expect(await read("completed", "queued")).toHaveLength(2);
      expect(await read()).toEqual([]);
    });

    it("are read in pages, each once, even with equal times", async () => {
      const session = await shared.begin();
      for (let n = 0; n < 5; n += 1) await session.send("later");
      const raw = await openRaw(shared.location);
      await raw.run(`update "Run" set "queuedAt" = ${NOON} where "sessionId" = '${session.id}'`);
      await raw.close();
      const all = await shared.store.readRuns(session.id);
      expect(all).toHaveLength(5);
      expect(
        await readInParts(
          (part) => shared.store.readRuns(session.id, part),
          (run) => run.queuedAt,
        ),
      ).toEqual(all);
    });
  });

  describe("the suspensions of runs", () => {
    it("are read by run, oldest first, with the person who answered, without long parts", async () => {
      const session = await shared.begin();
      const first = await session.run();
      const allowed = await session.suspend(first);
      await session.answer(allowed);
      const second = await session.suspend(first, { kind: "question" });
      await session.perform({
        type: "answer",
        suspensionId: second.id,
        answer: "long ".repeat(1_000),
        by: "grace",
      });
      const third = await session.suspend(first);
      await session.end(first);
      const next = await session.run();
      const open = await session.suspend(next);
      const read = (perRun: number, ...runs: readonly { readonly runId: string }[]) =>
        shared.store.readRunSuspensions({
          sessionId: session.id,
          runIds: runs.map(({ runId }) => runId),
          perRun,
        });
      const all = await read(100, first, next);
      expect(all).toEqual([
        {
          id: allowed.id,
          runId: first.runId,
          kind: "permission",
          status: "answered",
          answer: { option: "allow" },
          answeredBy: "ada",
          createdAt: allowed.createdAt,
          closedAt: allowed.createdAt + 1000,
        },
        expect.objectContaining({ id: second.id, answer: null, answeredBy: "grace" }),
        expect.objectContaining({ id: third.id, status: "released", answeredBy: null }),
        expect.objectContaining({ id: open.id, runId: next.runId, status: "open", closedAt: null }),
      ]);
      expect(await read(100, next)).toEqual(all.slice(3));
      expect((await read(1, first, next)).map(({ id }) => id)).toEqual([allowed.id, open.id]);
      expect(await read(100)).toEqual([]);
      const other = { sessionId: randomUUID(), runIds: [first.runId], perRun: 10 };
      expect(await shared.store.readRunSuspensions(other)).toEqual([]);
    });
  });

  describe("suspensions", () => {
    it("P7 are in the inbox, oldest first, until each is answered, and keep the answer", async () => {
      const [early, late] = [
        await shared.begin({ at: NOON }),
        await shared.begin({ at: NOON + 500 }),
      ];
      const [runA, runB] = [await early.run(), await late.run()];
      const a1 = await early.suspend(runA);
      const b1 = await late.suspend(runB, {
        kind: "question",
        request: { q: "?" },
        fingerprint: null,
        expiresAt: 9e12,
      });
      const a2 = await early.suspend(runA, { kind: "tool_result" });
      const inbox = async () => {
        const open = await shared.store.openSuspensions();
        return open.filter(({ sessionId }) => [early.id, late.id].includes(sessionId));
      };
      expect((await inbox()).map(({ id }) => id)).toEqual([a1.id, b1.id, a2.id]);

      await early.answer(a1);
      await late.end(runB);

      const closed = { answer: null, answeredBy: null };
      const answered: StoredSuspension = {
        ...a1,
        sessionId: early.id,
        runId: runA.runId,
        status: "answered",
        answer: { option: "allow" },
        answeredBy: "ada",
        closedAt: early.now,
      };
      expect(await shared.store.readSuspension(a1.id)).toEqual(answered);
      expect(await shared.store.readSuspension(b1.id)).toEqual({
        ...b1,
        ...closed,
        sessionId: late.id,
        runId: runB.runId,
        status: "released",
        closedAt: late.now,
      });
      expect(await inbox()).toEqual([
        {
          ...a2,
          ...closed,
          sessionId: early.id,
          runId: runA.runId,
          status: "open",
          closedAt: null,
        },
      ]);
      expect(await shared.store.readSuspension(randomUUID())).toBeNull();
    });

    it("of one session are all read, including closed ones, oldest first, at once or in pages", async () => {
      const [session, other] = [await shared.begin(), await shared.begin()];
      const sent = await session.run();
      await other.suspend(await other.run());
      const asked = [];
      for (let n = 0; n < 5; n += 1) asked.push(await session.suspend(sent));
      const [answered] = asked;
      if (answered === undefined) throw new Error("five were asked");
      await session.answer(answered);
      const raw = await openRaw(shared.location);
      await raw.run(
        `update "Suspension" set "createdAt" = ${NOON} where "sessionId" = '${session.id}'`,
      );
      await raw.close();
      const all = await shared.store.readSuspensions(session.id);
      expect(all).toEqual(
        await Promise.all(
          asked
            .map(({ id }) => id)
            .toSorted()
            .map((id) => shared.store.readSuspension(id)),
        ),
      );
      expect(
        await readInParts(
          (part) => shared.store.readSuspensions(session.id, part),
          (suspension) => suspension.createdAt,
        ),
      ).toEqual(all);
    });

    it("C3 of several sessions come with each session in the list", async () => {
      const session = await shared.begin();
      const sent = await session.run();
      const [first, second] = [await session.suspend(sent), await session.suspend(sent)];
      const page = await shared.store.listSessions({ states: ["suspended"], limit: 1000 });
      expect(page.sessions.find(({ id }) => id === session.id)).toMatchObject({
        suspensions: [first, second],
      });
    });
  });

  describe("sessions that need attention", () => {
    it("P3 are those with a run, a queue or an owner, in any status", async () => {
      await withStore(open, async ({ store, repo }) => {
        const begin = () => beginSession(store, { repoId: repo.id });
        const [idle, running, waiting, queued, owned, cut] = [
          await begin(),
          await begin(),
          await begin(),
          await begin(),
          await begin(),
          await begin(),
        ];
        await running.run();
        await waiting.suspend(await waiting.run());
        await waiting.perform({ type: "suspend", cause: "shutdown" });
        await queued.send("later");
        await owned.claim();
        await cut.send("cut", { start: { ...HANDED, handed: false } });
        await cut.perform({ type: "suspend", cause: "crash" });
        const expected = [running, waiting, queued, owned, cut].map(({ id }) => id).toSorted();
        expect(await store.unsettledSessions()).toEqual(expected);
        expect(expected).not.toContain(idle.id);

        const fence = { node: "node-1", epoch: 1 };
        await store.release({ sessionId: owned.id, ...fence });
        await queued.perform({ type: "archive" });
        const left = [running, waiting, cut].map(({ id }) => id).toSorted();
        expect(await store.unsettledSessions()).toEqual(left);
      });
    });

    it("A13 are those long inactive in the given statuses, oldest first, up to a limit", async () => {
      await withStore(open, async ({ store, repo }) => {
        const at = [30, 10, 20, 40, 50];
        const [c, a, b, d, gone] = await Promise.all(
          at.map((time) => beginSession(store, { repoId: repo.id, at: NOON + time * 60_000 })),
        );
        if (!a || !b || !c || !d || !gone) throw new Error("five were made");
        await d.perform({ type: "suspend", cause: "crash" });
        await gone.perform({ type: "archive" });
        const before = NOON + 45 * 60_000;
        const ids = (sessions: readonly { id: string }[]) => sessions.map(({ id }) => id);
        expect(await store.inactiveSessions({ statuses: ["active"], before, limit: 10 })).toEqual(
          ids([a, b, c]),
        );
        expect(await store.inactiveSessions({ statuses: ["active"], before, limit: 2 })).toEqual(
          ids([a, b]),
        );
        expect(
          await store.inactiveSessions({ statuses: ["suspended", "active"], before, limit: 10 }),
        ).toEqual(ids([a, b, c, d]));
        const edge = NOON + 20 * 60_000;
        expect(
          await store.inactiveSessions({ statuses: ["active"], before: edge, limit: 10 }),
        ).toEqual(ids([a]));
        expect(
          await store.inactiveSessions({ statuses: ["archived"], before: NOON * 2, limit: 10 }),
        ).toEqual(ids([gone]));
        expect(await store.inactiveSessions({ statuses: [], before: NOON * 2, limit: 10 })).toEqual(
          [],
        );
        const after = { at: NOON + 10 * 60_000, id: a.id };
        expect(
          await store.inactiveSessions({ statuses: ["active"], before, after, limit: 10 }),
        ).toEqual(ids([b, c]));
        expect(
          await store.inactiveSessions({
            statuses: ["active"],
            before,
            after: { ...after, id: "" },
            limit: 1,
          }),
        ).toEqual(ids([a]));
      });
    });
  });
}

async function readInParts<Row extends { readonly id: string }>(
  read: (part: TimePage) => Promise<readonly Row[]>,
  timeOf: (row: Row) => number,
): Promise<readonly Row[]> {
  const all: Row[] = [];
  for (;;) {
    const last = all.at(-1);
    const part = await read({
      limit: 2,
      ...(last !== undefined && { after: { at: timeOf(last), id: last.id } }),
    });
    if (part.length === 0) return all;
    all.push(...part);
  }
}
