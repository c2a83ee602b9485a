import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../domain/json.ts";
import type { RunResult } from "../../../domain/run.ts";
import type { FiguresQuery, SessionFigures } from "../../ports/stats-store.ts";
import type { Store } from "../../store.ts";
import { openRaw } from "../raw-database.ts";
import { beginSession, COMPLETED, HANDED, NOON, type SessionDriver } from "../session-driver.ts";
import { withStore, type OpenTestStore } from "./shared-store.ts";

/** The data of statistics and metrics. */
export function figuresContract(open: OpenTestStore): void {
  describe("the figures of sessions and runs", () => {
    it("B7 have agent, outcome, times and usage of each ended run", async () => {
      await withStore(open, async ({ store, repo }) => {
        const begin = (agentName: string | null) =>
          beginSession(store, { repoId: repo.id, agentName });
        const ada = await begin("ada");
        const usage = { inputTokens: 5, cost: { amount: 0.5, currency: "USD" } };
        await ended(ada, COMPLETED, usage);
        await ended(ada, FAILED);
        await ended(ada, { outcome: "cancelled", reason: "stop" });
        const bob = await begin("bob");
        await bob.run(); // still at work
        await bob.send("queued");
        const done = await begin(null);
        await done.perform({ type: "finalize", outcome: "abandoned", summary: null });

        const run = (n: number) => ({
          provider: "demo",
          startedAt: NOON + n * 1000,
          endedAt: NOON + (n + 1) * 1000,
          usage: null,
          wentOn: false,
        });
        expect(byAgent(await read(store))).toEqual(
          byAgent([
            {
              ...NOTHING,
              id: ada.id,
              agentName: "ada",
              errorTotal: 1,
              hasRuns: true,
              runs: [
                { ...run(1), outcome: "completed", usage },
                { ...run(3), outcome: "failed" },
                { ...run(5), outcome: "cancelled" },
              ],
            },
            { ...NOTHING, id: bob.id, agentName: "bob", hasRuns: true },
            {
              ...NOTHING,
              id: done.id,
              finalized: { at: NOON + 1000, outcome: "abandoned" },
              closedAt: NOON + 1000,
              phase: "abandoned",
              phaseHistory: [{ from: "initializing", to: "abandoned", at: NOON + 1000 }],
            },
          ]),
        );
      });
    });

    it("B7 have the phases of a session, the time it was closed, and all its reported errors", async () => {
      await withStore(open, async ({ store, repo }) => {
        const session = await beginSession(store, { repoId: repo.id });
        const report = (id: string) =>
          session.perform({ type: "update", changes: {}, error: { id, text: "broken" } });
        await session.perform({ type: "update", changes: {}, phase: "planning" }); // at 1
        await report("a"); // at 2
        await ended(session, FAILED); // at 4: an error of a run, which the run tells
        await report("b"); // at 5
        // At 6. Errors before a reset still count.
        await session.perform({ type: "update", changes: { errorCount: 0 }, phase: "executing" });
        await session.perform({ type: "archive" }); // at 7
        const [figures] = await read(store);
        expect(figures).toEqual({
          ...NOTHING,
          id: session.id,
          closedAt: NOON + 7000,
          phase: "executing",
          phaseHistory: [
            { from: "initializing", to: "planning", at: NOON + 1000 },
            { from: "planning", to: "executing", at: NOON + 6000 },
          ],
          errorTotal: 3,
          errorsAt: [NOON + 2000, NOON + 5000],
          hasRuns: true,
          runs: [expect.objectContaining({ outcome: "failed" })],
        });
        const [part] = await read(store, { from: NOON + 5000, to: NOON + 6000 });
        expect(part).toEqual({ ...figures, errorsAt: [NOON + 5000], runs: [] });
        const failed = await beginSession(store, { repoId: repo.id });
        await failed.perform({ type: "fail", reason: "broken" });
        expect((await read(store)).find(({ id }) => id === failed.id)).toEqual({
          ...NOTHING,
          id: failed.id,
          closedAt: NOON + 1000,
        });
      });
    });

    it("leave out runs that never left the queue", async () => {
      await withStore(open, async ({ store, repo }) => {
        const session = await beginSession(store, { repoId: repo.id });
        const { messageId } = await session.send("never mind");
        await session.perform({ type: "withdraw-queued", messageId });
        expect(await read(store)).toEqual([{ ...NOTHING, id: session.id }]);
      });
    });

    it("B7 show whether the session continued after an interrupted run", async () => {
      await withStore(open, async ({ store, repo }) => {
        const session = await beginSession(store, { repoId: repo.id });
        const wentOn = async () => {
          const [figures] = await read(store);
          return figures?.runs.map((run) => `${run.outcome} ${run.wentOn}`);
        };
        await session.run();
        await session.perform({ type: "suspend", cause: "crash" });
        expect(await wentOn()).toEqual(["interrupted false"]);
        await session.send("waits only");
        expect(await wentOn()).toEqual(["interrupted false"]);
        const [next] = (await session.stored()).session.queue;
        await session.perform({ type: "start-run", runId: next?.runId ?? "", start: HANDED });
        expect(await wentOn()).toEqual(["interrupted true"]);
        await session.perform({ type: "suspend", cause: "crash" });
        expect(await wentOn()).toEqual(["interrupted true", "interrupted false"]);
      });
    });

    it("B7 of a range include sessions whose life overlaps it, and runs that ended in it", async () => {
      await withStore(open, async ({ store, repo }) => {
        const session = await beginSession(store, { repoId: repo.id });
        await ended(session, COMPLETED); // ends at 2
        await ended(session, COMPLETED); // ends at 4
        await session.perform({ type: "finalize", outcome: "completed", summary: null }); // at 5
        const within = async (from?: number, to?: number) => {
          const [figures] = await read(store, {
            ...(from !== undefined && { from: NOON + from * 1000 }),
            ...(to !== undefined && { to: NOON + to * 1000 }),
          });
          if (figures === undefined) return "nothing";
          return { runs: figures.runs.length, finalized: figures.finalized !== null };
        };
        expect(await within()).toEqual({ runs: 2, finalized: true });
        expect(await within(2, 4)).toEqual({ runs: 1, finalized: false });
        expect(await within(2, 5)).toEqual({ runs: 2, finalized: false });
        expect(await within(5, 6)).toEqual({ runs: 0, finalized: true });
        expect(await within(0, 1)).toEqual({ runs: 0, finalized: false });
        expect(await within(1, 2)).toEqual({ runs: 0, finalized: false });
        expect(await within(-5, 0)).toBe("nothing");
        expect(await within(6)).toBe("nothing");
      });
    });

    it("B7 of a range include sessions that were inactive in it, or were closed in it", async () => {
      await withStore(open, async ({ store, repo }) => {
        const session = await beginSession(store, { repoId: repo.id });
        await session.perform({ type: "update", changes: {}, phase: "planning" }); // at 1
        await session.perform({ type: "update", changes: { title: "other" } }); // at 2
        const error = { id: "a", text: "broken" };
        await session.perform({ type: "update", changes: {}, error }); // at 3
        await session.perform({ type: "update", changes: { title: "another" } }); // at 4
        await session.perform({ type: "archive" }); // at 5
        const seconds = [0, 1, 2, 3, 4, 5, 6].map(async (second) => {
          const from = NOON + second * 1000;
          return (await read(store, { from, to: from + 1000 })).length;
        });
        expect(await Promise.all(seconds)).toEqual([1, 1, 1, 1, 1, 1, 0]);
      });
    });

    it("come in smaller pages where many logs are scanned, each session once", async () => {
      await withStore(open, async ({ store, location, repo }) => {
        const ids: string[] = [];
        for (let n = 0; n < 3; n += 1) {
          const session = await beginSession(store, { repoId: repo.id });
          const error = { id: "a", text: "broken" };
          await session.perform({ type: "update", changes: {}, error });
          ids.push(session.id);
        }
        const raw = await openRaw(location);
        await raw.run(`update "AgentSession" set "lastSeq" = 60000`);
        await raw.close();
        expect((await store.readFigures({ limit: 100 })).sessions).toHaveLength(1);
        const all = await read(store);
        expect(all.map(({ id, errorsAt }) => [id, errorsAt.length])).toEqual(
          ids.toSorted().map((id) => [id, 1]),
        );
      });
    });

    it("are read in pages, each session once, even with equal times", async () => {
      await withStore(open, async ({ store, repo }) => {
        const sessions = [];
        for (let n = 0; n < 5; n += 1) {
          const session = await beginSession(store, { repoId: repo.id });
          await ended(session, COMPLETED);
          sessions.push(session.id);
        }
        for (const limit of [1, 2, 5, 6]) {
          const all = await read(store, {}, limit);
          expect(all.map(({ id }) => id)).toEqual(sessions.toSorted());
          expect(all.every(({ runs }) => runs.length === 1)).toBe(true);
        }
      });
    });

    it("B5 leave out unreadable usage and history, and quarantined sessions", async () => {
      await withStore(open, async ({ store, location, repo }) => {
        const [good, bad] = [
          await beginSession(store, { repoId: repo.id }),
          await beginSession(store, { repoId: repo.id }),
        ];
        await ended(good, COMPLETED, { inputTokens: 1 });
        await ended(bad, COMPLETED);
        const raw = await openRaw(location);
        await raw.run(`update "Run" set "usage" = '[1]' where "sessionId" = '${good.id}'`);
        await raw.run(`update "AgentSession" set "phaseHistory" = '[1]' where "id" = '${good.id}'`);
        await raw.run(`update "AgentSession" set "metadata" = '[]' where "id" = '${bad.id}'`);
        await raw.close();
        await store.load(bad.id);
        const all = await read(store);
        expect(all.map(({ id, runs, phaseHistory }) => [id, runs[0]?.usage, phaseHistory])).toEqual(
          [[good.id, null, []]],
        );
      });
    });
  });

  describe("the tally", () => {
    it("counts sessions by status and state, and the messages in all queues", async () => {
      await withStore(open, async ({ store, location, repo }) => {
        expect(await store.tally()).toEqual({ sessions: [], queuedMessages: 0 });
        const begin = () => beginSession(store, { repoId: repo.id });
        const [idle, running, waiting, cut, archived, failed, bad] = [
          await begin(),
          await begin(),
          await begin(),
          await begin(),
          await begin(),
          await begin(),
          await begin(),
        ];
        await idle.send("a");
        await idle.send("b");
        await running.run();
        await running.send("c");
        await waiting.suspend(await waiting.run());
        await waiting.perform({ type: "suspend", cause: "shutdown" });
        await cut.perform({ type: "suspend", cause: "crash" });
        await archived.perform({ type: "archive" });
        await failed.perform({ type: "fail", reason: "broken" });
        await bad.run();
        await bad.send("d");
        const raw = await openRaw(location);
        await raw.run(`update "AgentSession" set "metadata" = '[]' where "id" = '${bad.id}'`);
        await raw.close();
        await store.load(bad.id);
        expect(await store.tally()).toEqual({
          sessions: [
            { status: "active", state: "idle", count: 1 },
            { status: "active", state: "running", count: 1 },
            { status: "suspended", state: "idle", count: 1 },
            { status: "suspended", state: "suspended", count: 1 },
            { status: "archived", state: "idle", count: 1 },
            { status: "error", state: "idle", count: 1 },
          ],
          queuedMessages: 3,
        });
      });
    });
  });
}

/** A new session. */
const NOTHING: Omit<SessionFigures, "id"> = {
  agentName: null,
  createdAt: NOON,
  finalized: null,
  closedAt: null,
  phase: "initializing",
  phaseHistory: [],
  errorTotal: 0,
  errorsAt: [],
  hasRuns: false,
  runs: [],
};

const FAILED: RunResult = {
  outcome: "failed",
  error: { code: "x", message: "x", detail: null },
};

async function ended(
  session: SessionDriver,
  result: RunResult,
  usage: JsonObject | null = null,
): Promise<void> {
  const { runId } = await session.run();
  await session.perform({ type: "end-run", runId, result, usage });
}

async function read(
  store: Store,
  range: Pick<FiguresQuery, "from" | "to"> = {},
  limit = 100,
): Promise<readonly SessionFigures[]> {
  const all: SessionFigures[] = [];
  for (let after: FiguresQuery["after"] | null = undefined; after !== null;) {
    const query: FiguresQuery = { ...range, limit, ...(after !== undefined && { after }) };
    const page = await store.readFigures(query);
    all.push(...page.sessions);
    after = page.next;
  }
  return all;
}

function byAgent(figures: readonly SessionFigures[]): readonly SessionFigures[] {
  return figures.toSorted((left, right) =>
    (left.agentName ?? "").localeCompare(right.agentName ?? ""),
  );
}
