import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Store } from "../../store.ts";
import type { QuarantinedRow } from "../../ports/quarantine-store.ts";
import { loosen, openRaw, type RawDatabase } from "../raw-database.ts";
import { growingText, opening, textOf, type Sent, type SessionDriver } from "../session-driver.ts";
import { sharedStore, type OpenTestStore, type SharedStore } from "./shared-store.ts";

/** Corrupt rows are reported unchanged and left out. Other rows are not affected. */
export function badRowsContract(open: OpenTestStore): void {
  describe("a session with a corrupt row", () => {
    const { shared, raw } = spoilable(open);

    const cases: readonly {
      readonly spoilt: string;
      readonly set: string;
      readonly reason: string;
    }[] = [
      {
        spoilt: "metadata that is no JSON",
        set: `"metadata" = '{oops'`,
        reason: "metadata is not JSON",
      },
      {
        spoilt: "metadata that is a list",
        set: `"metadata" = '[1]'`,
        reason: "metadata is not an object",
      },
      {
        spoilt: "an unknown status",
        set: `"status" = 'completed'`,
        reason: `status is "completed"`,
      },
      { spoilt: "an unknown state", set: `"state" = 'thinking'`, reason: `state is "thinking"` },
      {
        spoilt: "a status and a state that do not go together",
        set: `"status" = 'archived', "state" = 'running'`,
        reason: "archived and running do not go together",
      },
      { spoilt: "an unknown phase", set: `"phase" = 'napping'`, reason: `phase is "napping"` },
      {
        spoilt: "an unknown delivery policy",
        set: `"delivery" = 'never'`,
        reason: `delivery is "never"`,
      },
      {
        spoilt: "a repository that does not exist",
        set: `"repoId" = 'gone'`,
        reason: "its repository gone does not exist",
      },
      {
        spoilt: "a history of phases that is none",
        set: `"phaseHistory" = '{}'`,
        reason: "phaseHistory is not a list",
      },
      {
        spoilt: "a history of phases with something else in it",
        set: `"phaseHistory" = '[{"from":"planning"}]'`,
        reason: "phaseHistory has an entry that is not a change",
      },
      {
        spoilt: "resume data that is no JSON",
        set: `"resumeData" = 'x'`,
        reason: "resumeData is not JSON",
      },
      {
        spoilt: "an origin that names no session",
        set: `"forkedFrom" = '{}'`,
        reason: "forkedFrom names no session",
      },
    ];

    it.each(cases)("B5 ($spoilt) is reported once and quarantined", async ({ set, reason }) => {
      const { store } = shared;
      const before = await store.health();
      const other = await shared.begin();
      const bad = await shared.begin({ title: "spoilt" });
      await raw().run(`update "AgentSession" set ${set} where "id" = '${bad.id}'`);
      const rows = await countSessions(raw());

      const page = await store.listSessions({ limit: 1000 });

      expect(page.sessions.map(({ id }) => id)).toContain(other.id);
      expect(page.sessions.map(({ id }) => id)).not.toContain(bad.id);
      expect(page.total).toBe(page.sessions.length);
      expect(page.counts).toEqual({
        ...before.counts,
        active: before.counts.active + 1,
        badge: before.counts.badge + 1,
      });
      expect(await store.listSessions({ limit: 1000 })).toEqual(page);
      expect(await store.load(bad.id)).toEqual({ found: "unreadable", reason });
      expect(await store.readSession(bad.id)).toEqual({ found: "unreadable", reason });
      expect(await reportsOf(store, bad.id)).toMatchObject([
        { table: "AgentSession", rowId: bad.id, reason },
      ]);
      expect(await store.health()).toEqual({
        ...before,
        counts: page.counts,
        setAside: before.setAside + 1,
      });
      expect(await other.stored()).toMatchObject({ session: { id: other.id } });
      expect(await countSessions(raw())).toBe(rows);
      expect(await store.unsettledSessions()).not.toContain(bad.id);
    });

    it("B5 is kept unchanged in the report", async () => {
      const bad = await shared.begin({ title: "as it was", metadata: { key: 1 } });
      await raw().run(`update "AgentSession" set "metadata" = '{oops' where "id" = '${bad.id}'`);
      const [row] = await raw().all(`select * from "AgentSession" where "id" = '${bad.id}'`);
      await shared.store.listSessions({ limit: 1000 });
      const [report] = await reportsOf(shared.store, bad.id);
      expect(JSON.parse(report?.row ?? "")).toEqual(numbered({ ...row }));
      expect(report?.at).toBeGreaterThan(1_700_000_000_000);
    });

    it("B5 is reported by its first reader, even if only other rows show that it is invalid", async () => {
      const bad = await shared.begin();
      await bad.run();
      await raw().run(`delete from "Run" where "sessionId" = '${bad.id}'`);
      expect(await shared.store.load(bad.id)).toEqual({
        found: "unreadable",
        reason: "running without a run",
      });
      expect(await reportsOf(shared.store, bad.id)).toMatchObject([
        { table: "AgentSession", reason: "running without a run" },
      ]);
      const page = await shared.store.listSessions({ limit: 1000 });
      expect(page.sessions.map(({ id }) => id)).not.toContain(bad.id);
    });

    it("B5 does not make a page shorter than requested", async () => {
      const sessions = await Promise.all(
        Array.from({ length: 6 }, (_, n) => shared.begin({ agentName: "paged", at: 1000 + n })),
      );
      const spoilt = [sessions[5], sessions[3], sessions[2]].map((session) => `'${session?.id}'`);
      await raw().run(
        `update "AgentSession" set "metadata" = '' where "id" in (${spoilt.join(", ")})`,
      );
      const page = await shared.store.listSessions({ agentName: "paged", limit: 2 });
      expect(page.sessions.map(({ id }) => id)).toEqual([sessions[4]?.id, sessions[1]?.id]);
      expect(page).toMatchObject({ next: { id: sessions[1]?.id }, total: 3 });
    });

    it("C8 can still be deleted, and its reports go with it; those of others stay", async () => {
      const [bad, other] = [await shared.begin(), await shared.begin()];
      const sent = await bad.run();
      await raw().run(
        `update "AgentSession" set "metadata" = '{oops' where "id" in ('${bad.id}', '${other.id}')`,
      );
      await raw().run(
        `update "AgentMessage" set "content" = '{oops' where "id" = '${sent.messageId}'`,
      );
      await raw().run(`update "SessionEvent" set "data" = 'x' where "sessionId" = '${bad.id}'`);
      await shared.store.load(bad.id);
      await shared.store.load(other.id);
      await bad.messages();
      await bad.log();
      expect((await reportsOf(shared.store, bad.id)).map(({ table }) => table)).toEqual(
        expect.arrayContaining(["AgentMessage", "AgentSession", "SessionEvent"]),
      );
      expect(await shared.store.deleteSessions([bad.id])).toBe(1);
      expect(await reportsOf(shared.store, bad.id)).toEqual([]);
      expect(await reportsOf(shared.store, other.id)).toHaveLength(1);
    });
  });

  describe("a corrupt row of a session", () => {
    const { shared, raw } = spoilable(open);

    async function atWork(): Promise<{ session: SessionDriver; sent: Sent }> {
      const session = await shared.begin();
      const sent = await session.run("Go on.");
      await session.claim();
      return { session, sent };
    }

    it.each([
      { content: "{oops", reason: "content is not JSON" },
      { content: `["text"]`, reason: "content is not an object" },
      { content: `{"text":"no type"}`, reason: "content has no type" },
    ])(
      "B5 leaves a message out that says $content, and shows the others",
      async ({ content, reason }) => {
        const { session, sent } = await atWork();
        const id = `bad-${session.id}`;
        const message = { id, role: "agent", content: textOf("spoilt") } as const;
        await session.put(
          sent,
          { put: "message", message, complete: true },
          opening(`good-${session.id}`, "good"),
        );
        await raw().run(`update "AgentMessage" set "content" = '${content}' where "id" = '${id}'`);
        expect((await session.messages()).map((one) => one.content)).toEqual([
          textOf("Go on."),
          growingText("good"),
        ]);
        const told = (await session.log()).flatMap((entry) =>
          entry.kind === "message" ? [entry.message.id] : [],
        );
        expect(told).toEqual([sent.messageId, `good-${session.id}`]);
        const reports = await reportsOf(shared.store, session.id);
        expect(reports).toMatchObject([{ table: "AgentMessage", rowId: id, reason }]);
        expect(JSON.parse(reports[0]?.row ?? "")).toMatchObject({
          id,
          sessionId: session.id,
          role: "agent",
          content,
        });
        expect(await session.stored()).toMatchObject({ session: { id: session.id } });
      },
    );

    it("B5 lets a run end although an incomplete message is unreadable", async () => {
      const { session, sent } = await atWork();
      const id = `bad-${session.id}`;
      await session.put(sent, opening(id, "spoilt"), { put: "text", messageId: id, text: "more" });
      await raw().run(`update "AgentMessage" set "content" = '[]' where "id" = '${id}'`);
      await session.end(sent);
      expect((await session.stored()).session.standing).toEqual({
        status: "active",
        activity: { state: "idle" },
      });
      expect((await session.messages()).map((one) => one.content)).toEqual([textOf("Go on.")]);
      const [kept] = await raw().all(`select "content" from "AgentMessage" where "id" = '${id}'`);
      expect(kept).toMatchObject({ content: "[]" });
    });

    it.each(["{oops", "[]", `{"type":"session.archived"}`])(
      "B5 gives the number of an event in the log that is %s, and the others whole",
      async (data) => {
        const { session } = await atWork();
        const whole = await session.log();
        await raw().run(
          `update "SessionEvent" set "data" = '${data}' where "sessionId" = '${session.id}' and "seq" = 2`,
        );
        const shown = whole.map((entry) =>
          entry.seq === 2 ? { kind: "unreadable", seq: 2, at: entry.at } : entry,
        );
        expect(await session.log()).toEqual(shown);
        const reports = await reportsOf(shared.store, session.id);
        expect(reports).toMatchObject([{ table: "SessionEvent", rowId: `${session.id}/2` }]);
      },
    );

    it("B5 makes the session unreadable if it is its open suspension, and both are reported", async () => {
      const { session, sent } = await atWork();
      const [bad, good] = [await session.suspend(sent), await session.suspend(sent)];
      await raw().run(`update "Suspension" set "request" = '{oops' where "id" = '${bad.id}'`);

      const page = await shared.store.listSessions({ limit: 1000 });

      const reason = `Suspension ${bad.id} cannot be read: request is not JSON`;
      expect(page.sessions.map(({ id }) => id)).not.toContain(session.id);
      expect(await shared.store.load(session.id)).toEqual({ found: "unreadable", reason });
      expect(await shared.store.readSuspension(bad.id)).toBeNull();
      const inbox = (await shared.store.openSuspensions()).map(({ id }) => id);
      expect(inbox).toContain(good.id);
      expect(inbox).not.toContain(bad.id);
      const reports = await reportsOf(shared.store, session.id);
      expect(reports).toMatchObject([
        { table: "AgentSession", rowId: session.id, reason },
        { table: "Suspension", rowId: bad.id, reason: "request is not JSON" },
      ]);
      expect(JSON.parse(reports[1]?.row ?? "")).toMatchObject({ id: bad.id, request: "{oops" });
    });

    it("B5 makes the session unreadable if it is its current run", async () => {
      const { session, sent } = await atWork();
      await raw().run(`update "Run" set "continuity" = 'perhaps' where "id" = '${sent.runId}'`);
      const reason = `Run ${sent.runId} cannot be read: continuity is "perhaps"`;
      expect(await shared.store.load(session.id)).toEqual({ found: "unreadable", reason });
      expect(await reportsOf(shared.store, session.id)).toMatchObject([
        { table: "AgentSession", rowId: session.id, reason },
        { table: "Run", rowId: sent.runId, reason: `continuity is "perhaps"` },
      ]);
    });

    it("B5 is left out of the list of runs if it is an ended run", async () => {
      const { session, sent } = await atWork();
      await session.end(sent);
      const next = await session.run();
      await raw().run(`update "Run" set "status" = 'lost' where "id" = '${sent.runId}'`);
      expect((await shared.store.readRuns(session.id)).map(({ id }) => id)).toEqual([next.runId]);
      expect(await shared.store.readRun(sent.runId)).toBeNull();
      expect(await shared.store.findRuns([sent.runId, next.runId])).toMatchObject([
        { id: next.runId },
      ]);
      expect(await reportsOf(shared.store, sent.runId)).toMatchObject([
        { table: "Run", reason: `status is "lost"` },
      ]);
      expect(await session.stored()).toMatchObject({ session: { id: session.id } });
    });

    it("B5 is left out of the queue if it is a queued message", async () => {
      const { session } = await atWork();
      const [bad, good] = [await session.send("bad"), await session.send("good")];
      await raw().run(
        `update "QueuedMessage" set "content" = '{oops' where "messageId" = '${bad.messageId}'`,
      );
      const queue = await shared.store.readQueue(session.id);
      expect(queue.map(({ messageId }) => messageId)).toEqual([good.messageId]);
      expect(await reportsOf(shared.store, bad.messageId)).toMatchObject([
        { table: "QueuedMessage" },
      ]);
    });
  });
}

/** A store, and a connection that may write anything into its tables. */
function spoilable(open: OpenTestStore): { shared: SharedStore; raw: () => RawDatabase } {
  const shared = sharedStore(open);
  let opened: RawDatabase | null = null;
  beforeAll(async () => {
    opened = await openRaw(shared.location);
    await loosen(shared.location, opened);
  });
  afterAll(() => opened?.close());
  const raw = (): RawDatabase => {
    if (opened === null) throw new Error("the database is opened by the tests, not by the group");
    return opened;
  };
  return { shared, raw };
}

/** The reports about a row, or about all rows of a session. */
async function reportsOf(store: Store, id: string): Promise<readonly QuarantinedRow[]> {
  const reports = (await store.listQuarantined()).filter(({ rowId, row }) =>
    `${rowId} ${row}`.includes(id),
  );
  return reports.toSorted((left, right) => (left.table < right.table ? -1 : 1));
}

async function countSessions(raw: RawDatabase): Promise<number> {
  const [row] = await raw.all(`select count(*) as total from "AgentSession"`);
  return Number(row?.["total"]);
}

/** PostgreSQL's driver returns large numbers as text. */
function numbered(row: Readonly<Record<string, unknown>>): unknown {
  const isNumber = (value: unknown): value is string =>
    typeof value === "string" && /^\d+$/u.test(value);
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, isNumber(value) ? Number(value) : value]),
  );
}
