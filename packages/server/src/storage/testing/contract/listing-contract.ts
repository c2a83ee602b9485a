import { NEW_FOLDER } from "../../../domain/files/session-folder.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { McpServers } from "../../../domain/mcp-server.ts";
import { PHASES, type Phase } from "../../../domain/phase.ts";
import { RUN_OUTCOMES, type RunResult } from "../../../domain/run.ts";
import { STATES, STATUSES, type State, type Status } from "../../../domain/status.ts";
import type { Store } from "../../store.ts";
import type { ListPosition, SessionQuery, SessionRecord } from "../../ports/session-store.ts";
import { beginSession, NOON } from "../session-driver.ts";
import { addRepo, withStore, type OpenTestStore, type SharedStore } from "./shared-store.ts";
import { repeat } from "../../../domain/testing/repeat.ts";

/** The list of sessions: order, pages, filters and totals. */
export function listingContract(shared: SharedStore, open: OpenTestStore): void {
  describe("the sessions that work in a repository", () => {
    it("are the running ones, newest first, with the kind of their folder", async () => {
      await withStore(open, async ({ store, repo }) => {
        const elsewhere = await addRepo(store, "elsewhere");
        const workspace = { kind: "worktree", base: null, worktree: null } as const;
        const sessions = [
          await beginSession(store, { repoId: repo.id, title: "old", at: NOON }),
          await beginSession(store, { repoId: repo.id, workspace, at: NOON + 1 }),
          await beginSession(store, { repoId: elsewhere.id, at: NOON + 2 }),
        ];
        await beginSession(store, { repoId: repo.id, title: "idle", at: NOON + 3 });
        for (const session of sessions) await session.run();
        const [first, second] = sessions;
        expect(await store.sessionsAtWork({ repoId: repo.id, limit: 9 })).toEqual([
          { id: second?.id, title: null, kind: "worktree" },
          { id: first?.id, title: "old", kind: "shared" },
        ]);
        expect(await store.sessionsAtWork({ repoId: repo.id, limit: 1 })).toHaveLength(1);
      });
    });
  });

  describe("the list of sessions", () => {
    it("A4 shows a session with all data of its row and its suspensions, and no messages", async () => {
      const mcpServers: McpServers = {
        echo: { type: "stdio", command: "echo", args: ["ü"], env: {}, envFrom: { TOKEN: "T" } },
        web: { type: "sse", url: "https://example.com/", headers: { A: "b" }, headersFrom: {} },
      };
      const session = await shared.begin({
        mcpServers,
        directories: ["/work/docs"],
        title: "Tidy up",
        provider: "demo",
        model: "large",
        agentName: "ada",
        purpose: "cleaning",
        agentId: null,
        metadata: { z: 1, a: { deep: [null] } },
        forkedFrom: { sessionId: "parent", atMessage: "m7" },
      });
      const sent = await session.run();
      await session.perform({ type: "update", changes: { delivery: "hold" }, phase: "planning" });
      await session.perform({
        type: "record-resume",
        provider: "demo",
        supportsResume: true,
        supportsSteering: true,
        resumeData: { cursor: [1] },
      });
      await session.perform({
        type: "update",
        changes: {},
        error: { id: "e1", text: "out of memory" },
      });
      const suspension = await session.suspend(sent);
      await session.send("Later.");
      const expected: SessionRecord = {
        id: session.id,
        repoId: shared.repo.id,
        title: "Tidy up",
        status: "active",
        state: "suspended",
        suspensions: [suspension],
        queued: 1,
        delivery: "hold",
        provider: "demo",
        model: "large",
        settings: [],
        agentName: "ada",
        purpose: "cleaning",
        agentId: null,
        metadata: { z: 1, a: { deep: [null] } },
        mcpServers,
        directories: ["/work/docs"],
        phase: "planning",
        phaseHistory: [{ from: "initializing", to: "planning", at: NOON + 2000 }],
        resumeReady: true,
        errorCount: 1,
        errorTotal: 1,
        lastError: { id: "e1", text: "out of memory", at: expect.any(Number) },
        supportsResume: true,
        supportsSteering: true,
        lastRun: { provider: "demo", model: null },
        resumeData: [{ provider: "demo", data: { cursor: [1] }, seen: null }],
        forkedFrom: { sessionId: "parent", atMessage: "m7" },
        ...NEW_FOLDER,
        failure: null,
        suspendedAt: null,
        suspendedReason: null,
        archivedAt: null,
        failedAt: null,
        removeAt: null,
        finalizedAt: null,
        summary: null,
        createdAt: NOON,
        updatedAt: session.now,
        lastActiveAt: session.now,
        lastTurn: { at: session.now, outcome: null, line: null },
        version: 7,
        lastSeq: 10,
      };
      const { sessions } = await shared.store.listSessions({ agentName: "ada", limit: 10 });
      expect(sessions).toEqual([expected]);
      expect(await shared.store.readSession(session.id)).toEqual({
        found: "session",
        record: expected,
      });
    });

    it("shows how a session ended: archived, failed, finalized", async () => {
      const [archived, failed] = [await shared.begin(), await shared.begin()];
      await archived.perform({ type: "finalize", outcome: "completed", summary: "All done." });
      await archived.perform({ type: "archive" });
      await failed.perform({ type: "fail", reason: "its data is unusable" });
      const record = async (id: string) => {
        const read = await shared.store.readSession(id);
        return read.found === "session" ? read.record : null;
      };
      expect(await record(archived.id)).toMatchObject({
        status: "archived",
        archivedAt: NOON + 2000,
        finalizedAt: NOON + 1000,
        summary: "All done.",
        phase: "completed",
      });
      expect(await record(failed.id)).toMatchObject({
        status: "error",
        state: "idle",
        failure: "its data is unusable",
      });
    });
  });

  describe("pages of the list", () => {
    it("A4 visit every session once, newest first, while new ones are added and others deleted", async () => {
      await withStore(open, async ({ store }) => {
        const begin = (minute: number) => beginSession(store, { at: NOON + minute * 60_000 });
        const minutes = [0, 1, 1, 1, 1, 1, 1, 1, 2, 3, 3, 4, 5, 8, 8];
        const sessions = await Promise.all(minutes.map(begin));
        const seen: string[] = [];
        let after: ListPosition | undefined;
        for (let turn = 0; turn < 20; turn += 1) {
          const page = await store.listSessions({
            limit: 3,
            ...(after !== undefined && { after }),
          });
          seen.push(...page.sessions.map(({ id }) => id));
          await begin(100 + turn);
          const first = page.sessions[0];
          if (first !== undefined) await store.deleteSessions([first.id]);
          if (page.next === null) break;
          after = page.next;
        }
        const newestFirst = sessions
          .map(({ id }, index) => ({ id, minute: minutes[index] ?? 0 }))
          .toSorted((left, right) => right.minute - left.minute || (left.id < right.id ? 1 : -1));
        expect(seen).toEqual(newestFirst.map(({ id }) => id));
      });
    });

    it("A4 end where the sessions end, at every limit and offset, and are empty where there are none", async () => {
      await withStore(open, async ({ store }) => {
        const counts = { active: 0, suspended: 0, archived: 0, error: 0, badge: 0 };
        const nothing = { sessions: [], total: 0, next: null, counts, hits: [] };
        expect(await store.listSessions({ limit: 20 })).toEqual(nothing);
        await Promise.all(
          Array.from({ length: 5 }, (_, n) => beginSession(store, { at: NOON + n })),
        );
        const all = (await store.listSessions({ limit: 5 })).sessions;
        expect(all.map(({ createdAt }) => createdAt - NOON)).toEqual([4, 3, 2, 1, 0]);
        for (const limit of [0, 1, 2, 4, 5, 6, 1000]) {
          for (const offset of [0, 1, 4, 5, 6]) {
            const page = await store.listSessions({ limit, offset });
            const sessions = all.slice(offset, offset + limit);
            const last = sessions.at(-1);
            const more = last !== undefined && offset + limit < all.length;
            expect({ limit, offset, ...page, counts: null }).toEqual({
              limit,
              offset,
              sessions,
              total: 5,
              next: more ? { at: last.createdAt, id: last.id } : null,
              counts: null,
              hits: [],
            });
          }
        }
      });
    });
  });

  describe("filters of the list", () => {
    it("A4 return matching sessions in order and the right total, in any combination (B7)", async () => {
      await withStore(open, async ({ store }) => {
        const repos = [await addRepo(store), await addRepo(store)];
        await populate(
          store,
          repos.map(({ id }) => id),
        );
        const all = (await store.listSessions({ limit: 1000 })).sessions;
        expect(all).toHaveLength(POPULATION);
        await fc.assert(
          fc.asyncProperty(anyQuery(repos.map(({ id }) => id)), async (query) => {
            const matching = all.filter((record) => matches(record, query));
            const page = await store.listSessions(query);
            const { offset = 0, limit } = query;
            const later = matching
              .filter((record) => isAfter(record, query))
              .toSorted((left, right) => newerFirst(left, right, query.order));
            expect(page.sessions.map(({ id }) => id)).toEqual(
              later.slice(offset, offset + limit).map(({ id }) => id),
            );
            expect(page.total).toBe(matching.length);
          }),
          {
            numRuns: repeat({ short: 40, long: 400 }),
            examples: [[{ limit: 0, offset: 0, repoId: repos[0]?.id ?? "", statuses: [] }]],
          },
        );
      });
    });
  });
}

const POPULATION = 40;
const AGENTS = ["ada", "grace", null];
const PROVIDERS = ["demo", "gemini", null, "codex"];

const RESULTS: readonly RunResult[] = [
  { outcome: "completed", stopReason: "end_turn" },
  { outcome: "failed", error: { code: "agent_failed", message: "broken", detail: null } },
  { outcome: "cancelled", reason: "asked to" },
  { outcome: "interrupted", reason: "the server stopped" },
];

/** Sessions with many combinations of the filtered values. */
async function populate(store: Store, repoIds: readonly string[]): Promise<void> {
  await Promise.all(
    Array.from({ length: POPULATION }, async (_, n) => {
      const session = await beginSession(store, {
        at: NOON + (n % 17) * 1000,
        repoId: repoIds[n % 3] ?? null,
        agentName: AGENTS[n % AGENTS.length] ?? null,
        provider: PROVIDERS[n % PROVIDERS.length] ?? null,
        title: n % 2 === 0 ? "even" : "odd",
      });
      const phase = PHASES[n % 6];
      if (phase !== undefined && phase !== "initializing")
        await session.perform({ type: "update", changes: {}, phase });
      if (n % 3 !== 2 && n % 4 !== 0) {
        const sent = await session.run();
        const result = RESULTS[n % 10];
        if (result !== undefined) await session.end(sent, result);
        else if (n % 5 !== 0) await session.suspend(sent);
      }
      if (n % 7 === 0) await session.perform({ type: "suspend", cause: "crash" });
      if (n % 8 === 1) await session.perform({ type: "archive" });
      if (n % 11 === 2) await session.perform({ type: "fail", reason: "broken" });
    }),
  );
}

/** At most three filters: with more, almost no query matches a session. */
function anyQuery(repoIds: readonly string[]): fc.Arbitrary<SessionQuery> {
  const time = fc.integer({ min: -1, max: 18 }).map((second) => NOON + second * 1000);
  const filters: { [Key in keyof SessionQuery]?: fc.Arbitrary<SessionQuery[Key]> } = {
    repoId: fc.constantFrom(...repoIds, "unknown"),
    statuses: fc.subarray<Status>([...STATUSES, "active"]),
    states: fc.subarray<State>([...STATES]),
    outcomes: fc.subarray([...RUN_OUTCOMES]),
    phase: fc.constantFrom<Phase>(...PHASES),
    agentName: fc.constantFrom("ada", "grace", "nobody"),
    providers: fc.subarray([...PROVIDERS, "nobody's"]),
    search: fc.constantFrom("even", "odd", "neither"),
    from: time,
    to: time,
    order: fc.constantFrom<SessionQuery["order"]>("turn", "created"),
    after: fc.record({ at: time, id: fc.constantFrom("", "7", "~") }),
  };
  return fc.subarray(Object.keys(filters), { maxLength: 3 }).chain((names) =>
    fc.record({
      limit: fc.constantFrom(0, 1, 2, 5, 100),
      offset: fc.constantFrom(0, 0, 1, 3),
      ...Object.fromEntries(Object.entries(filters).filter(([name]) => names.includes(name))),
    }),
  );
}

function matches(record: SessionRecord, query: SessionQuery): boolean {
  const { repoId, statuses, states, outcomes, phase, agentName, providers } = query;
  const { search, from, to } = query;
  const { outcome } = record.lastTurn;
  return (
    (repoId === undefined || record.repoId === repoId) &&
    (statuses === undefined || statuses.includes(record.status)) &&
    (states === undefined || states.includes(record.state)) &&
    (outcomes === undefined || (outcome !== null && outcomes.includes(outcome))) &&
    (phase === undefined || record.phase === phase) &&
    (agentName === undefined || record.agentName === agentName) &&
    (providers === undefined ||
      providers.includes(record.provider ?? record.lastRun?.provider ?? null)) &&
    (search === undefined || record.title === search) &&
    (from === undefined || record.lastActiveAt >= from) &&
    (to === undefined || record.createdAt < to)
  );
}

function isAfter(record: SessionRecord, { after, order }: SessionQuery): boolean {
  const at = timeOf(record, order);
  if (after === undefined || at !== after.at) return after === undefined || at < after.at;
  return record.id < after.id;
}

function newerFirst(
  left: SessionRecord,
  right: SessionRecord,
  order: SessionQuery["order"],
): number {
  return timeOf(right, order) - timeOf(left, order) || (left.id < right.id ? 1 : -1);
}

function timeOf({ createdAt, lastTurn }: SessionRecord, order: SessionQuery["order"]): number {
  return order === "turn" ? lastTurn.at : createdAt;
}
