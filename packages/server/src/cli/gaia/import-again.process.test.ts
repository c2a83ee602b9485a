import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../storage/open-store.ts";
import type { Store } from "../../storage/store.ts";
import { driveSession, type SessionDriver } from "../../storage/testing/session-driver.ts";
import { openRaw } from "../../storage/testing/raw-database.ts";
import { importStates } from "./import-states.ts";
import { ALL_SAME, GaiaRig, NOW } from "./testing/gaia-rig.ts";
import { toState } from "./to-state.ts";

const STATE = {
  agent_id: "agent-1",
  agent_name: "terraform-architect",
  purpose: "approval_workflow",
  created_at: "2026-01-08T18:05:30.123456+00:00",
  last_updated: "2026-01-08T18:10:15.000009+00:00",
  phase: "approval",
  metadata: { task_id: "T001", gone: true },
  resume_ready: true,
  history: [],
  error_count: 0,
  last_error: null,
};
/** After everything that is done to a session here. */
const NEXT_YEAR = "2027-01-01T00:00:00+00:00";
const CHANGED = {
  ...STATE,
  last_updated: "2026-01-08T18:20:00.000009+00:00",
  phase: "executing",
  metadata: { task_id: "T002", new: 1 },
  resume_ready: false,
  error_count: 1,
  last_error: { message: "oops", timestamp: "2026-01-08T18:20:00+00:00" },
  added: "later",
};

let rig: GaiaRig;
let file: string;
let session: SessionDriver;
beforeEach(async () => {
  rig = await GaiaRig.open();
  file = rig.write("agent-1", STATE);
  await rig.import();
  const { id } = await rig.session("agent-1");
  session = driveSession(rig.store, { id, now: NOW });
  await rig.store.addRepo({ id: "r", path: "/r", name: "r", createdAt: 1 });
});
afterEach(() => rig.close());

const SAME = { ...ALL_SAME, total: 1 };

/** What a person and an agent do with the session here, as far as it is in no file. */
async function use(): Promise<void> {
  const before = await session.stored();
  const inRepo = { ...before.session, repoId: "r", title: "Mine" };
  const events = [{ type: "session.imported", at: NOW, session: inRepo }] as const;
  await rig.store.commit({ before, events });
  await session.end(await session.run("Hello."));
  await session.perform({ type: "suspend", cause: "shutdown" });
}

describe("importing a file again", () => {
  it("B8 changes nothing when the file is unchanged", async () => {
    const before = await session.stored();
    expect(await rig.import()).toEqual({ ...SAME, unchanged: 1 });
    rig.write("agent-1", JSON.stringify(Object.fromEntries(Object.entries(STATE).toReversed())));
    expect(await rig.import()).toEqual({ ...SAME, unchanged: 1 });
    expect(await session.stored()).toEqual(before);
  });

  it("B8 updates the session, which keeps its ID, messages, log and fields that the file does not have", async () => {
    await use();
    const before = await session.stored();
    const [messages, log] = [await session.messages(), await session.log()];
    rig.write("agent-1", CHANGED);
    expect(await rig.import()).toEqual({ ...SAME, updated: 1 });

    const { session: now, version, lastSeq } = await session.stored();
    expect(now).toEqual({
      ...before.session,
      phase: "executing",
      resumeReady: false,
      errorCount: 1,
      errorTotal: 1,
      lastError: { id: expect.any(String), text: "oops", at: Date.UTC(2026, 0, 8, 18, 20) },
      metadata: { task_id: "T002", new: 1, gaiaState: expect.anything() },
    });
    expect(version).toBe(before.version + 1);
    expect(await session.messages()).toEqual(messages);
    expect((await session.log()).slice(0, -1)).toEqual(log);
    expect(lastSeq).toBe(before.lastSeq + 1);
    expect(now).toMatchObject({ title: "Mine", repoId: "r", standing: { status: "suspended" } });
    expect(await rig.import()).toEqual({ ...SAME, unchanged: 1 });
    await rig.export();
    expect(rig.read()).toEqual({ "agent-1": CHANGED });
  });

  it("B8 updates the session when only last_updated is newer", async () => {
    rig.write("agent-1", { ...STATE, last_updated: NEXT_YEAR });
    expect(await rig.import()).toEqual({ ...SAME, updated: 1 });
    expect(await rig.session("agent-1")).toMatchObject({
      lastActiveAt: "2027-01-01T00:00:00.000Z",
    });
    rig.write("agent-1", STATE);
    expect(await rig.import()).toEqual({ ...SAME, unchanged: 1 });
  });

  it("B8 does not change a session that is newer than its unchanged file", async () => {
    await session.perform({ type: "update", changes: {}, phase: "executing" });
    const before = await session.stored();
    expect(await rig.import()).toEqual({ ...SAME, unchanged: 1 });
    expect(await session.stored()).toEqual(before);
  });

  it("B8 does not overwrite changes that are newer than the file, and reports it", async () => {
    await session.perform({ type: "update", changes: { metadata: { here: 1 } } });
    const before = await session.stored();
    rig.write("agent-1", CHANGED);
    const changedAt = new Date(session.now).toISOString().replace(".000Z", "+00:00");
    const reason = `The session was changed here at ${changedAt}, after the file.`;
    expect(await rig.import()).toEqual({ ...SAME, kept: [{ file, reason }] });
    expect(await session.stored()).toEqual(before);

    rig.write("agent-1", { ...CHANGED, last_updated: NEXT_YEAR });
    expect(await rig.import()).toEqual({ ...SAME, updated: 1 });
    expect(toState(await rig.session("agent-1")).metadata).toEqual(CHANGED.metadata);
  });

  it.each<[string, () => Promise<unknown>]>([
    ["works", () => session.run()],
    ["waits for an answer", async () => session.suspend(await session.run())],
    ["has a message in its queue", () => session.send("later")],
  ])("B8 keeps a session as it is that %s", async (_, work) => {
    await use();
    await session.perform({ type: "resume" });
    await work();
    const before = await session.stored();
    rig.write("agent-1", { ...CHANGED, last_updated: NEXT_YEAR });
    const reason = "The session is at work here, or waits for something.";
    expect(await rig.import()).toEqual({ ...SAME, kept: [{ file, reason }] });
    expect(await session.stored()).toEqual(before);
    rig.write("agent-1", { ...STATE, last_updated: NEXT_YEAR });
    expect(await rig.import()).toEqual({ ...SAME, kept: [{ file, reason }] });
    rig.write("agent-1", STATE);
    expect(await rig.import()).toEqual({ ...SAME, unchanged: 1 });
  });

  it.each(["2026-01-08T18:20:00+00:00", NEXT_YEAR])(
    "ruling 13: a file in which only last_updated changed, to %s, counts as changed and undoes nothing",
    async (lastUpdated) => {
      await session.perform({ type: "update", changes: {}, phase: "executing" });
      const before = await session.stored();
      rig.write("agent-1", { ...STATE, last_updated: lastUpdated });
      const changedAt = new Date(session.now).toISOString().replace(".000Z", "+00:00");
      const reason = `The session was changed here at ${changedAt}; in the file only last_updated has changed.`;
      expect(await rig.import()).toEqual({ ...SAME, kept: [{ file, reason }] });
      expect(await session.stored()).toEqual(before);
    },
  );

  it("B8 does not change an archived session or an unreadable one", async () => {
    await session.perform({ type: "archive" });
    rig.write("agent-1", { ...CHANGED, last_updated: NEXT_YEAR });
    const archived = [{ file, reason: "The session is archived here." }];
    expect(await rig.import()).toEqual({ ...SAME, kept: archived });
    const raw = await openRaw(rig.location);
    await raw.run(`update "AgentSession" set "metadata" = '{'`);
    await raw.close();
    const unreadable = [{ file, reason: "The session here cannot be read: metadata is not JSON." }];
    expect(await rig.import()).toEqual({ ...SAME, kept: unreadable });
  });

  it("B8 decides again after a write conflict", async () => {
    rig.write("agent-1", CHANGED);
    let commits = 0;
    const store: Store = {
      ...rig.store,
      commit: async (change) => {
        commits += 1;
        if (commits === 1)
          await session.perform({ type: "update", changes: { metadata: { faster: true } } });
        return rig.store.commit(change);
      },
    };
    const { folder } = rig;
    const result = await importStates(store, { folder, clock: () => NOW, newId: () => "unused" });
    expect(result).toMatchObject({ updated: 0, kept: [{ file }] });
    expect((await session.stored()).session.metadata).toMatchObject({ faster: true });
  });

  it("B8 creates one session per file when two processes import at the same time", async () => {
    const total = 41;
    for (let index = 2; index <= total; index += 1)
      rig.write(`agent-${index}`, { ...STATE, agent_id: `agent-${index}` });
    const other = await openStore(rig.location, { clock: Date.now });
    const options = { folder: rig.folder, clock: () => NOW, newId: randomUUID };
    const results = await Promise.all([rig.import(), importStates(other, options)]);
    await other.close();
    expect(results.map(({ kept, setAside }) => [...kept, ...setAside])).toEqual([[], []]);
    expect(results.reduce((sum, { imported }) => sum + imported, 0)).toBe(total - 1);
    expect((await rig.store.listSessions({ limit: 10 })).total).toBe(total);
  });

  it("keeps the stored permissions of agents", async () => {
    const permissions = { rules: [{ kind: "read", decision: "allow" }] };
    await session.perform({ type: "update", changes: { metadata: { permissions } } });
    rig.write("agent-1", { ...CHANGED, last_updated: NEXT_YEAR });
    expect(await rig.import()).toEqual({ ...SAME, updated: 1 });
    expect((await session.stored()).session.metadata).toMatchObject({ permissions, new: 1 });
    await rig.export();
    expect(rig.read()).toEqual({ "agent-1": { ...CHANGED, last_updated: NEXT_YEAR } });
  });
});
