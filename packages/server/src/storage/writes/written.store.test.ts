import { describe, expect, it } from "vitest";
import type { Store } from "../store.ts";
import { beginSession, growingText, textOf } from "../testing/session-driver.ts";
import { openTestStore } from "../testing/test-database.ts";

/** Compares what each commit returns with what a read then returns. */
function comparing(store: Store): { readonly store: Store; readonly compared: () => number } {
  let compared = 0;
  const commit: Store["commit"] = async (change) => {
    const committed = await store.commit(change);
    if (!committed.ok || committed.stored === null) return committed;
    const { stored, written, firstSeq } = committed;
    const { id: sessionId } = stored.session;
    const loaded = await store.load(sessionId);
    expect(loaded).toEqual({ found: "session", stored });
    const record = store.recordOf(stored);
    expect(await store.readSession(sessionId)).toEqual({ found: "session", record });
    if (written === null) return committed;
    const read = await store.readEvents({ sessionId, after: firstSeq - 1, limit: 1_000 });
    expect(written.entries).toEqual(read);
    for (const run of written.runs) expect(await store.readRun(run.id)).toEqual(run);
    compared += 1;
    return committed;
  };
  return { store: { ...store, commit }, compared: () => compared };
}

describe.each(["sqlite", "postgres"] as const)("what a commit on %s returns", (engine) => {
  it("is what a read returns: session, log entries and runs (C7)", async () => {
    const test = await openTestStore(engine);
    try {
      await test.store.addRepo({ id: "repo-1", path: "/repo", name: "repo", createdAt: 0 });
      const { store, compared } = comparing(test.store);
      const session = await beginSession(store, {
        repoId: "repo-1",
        title: "A title",
        metadata: { list: [1, null, { deep: "ä" }] },
      });
      await session.claim();
      const sent = await session.run();
      await session.put(
        sent,
        {
          put: "message",
          message: { id: "m-1", role: "agent", content: growingText("one ") },
          complete: false,
        },
        { put: "text", messageId: "m-1", text: "two" },
      );
      await session.send("later", { delivery: "queue" });
      const suspension = await session.suspend(sent);
      await session.answer(suspension);
      await session.perform({ type: "update", changes: { title: "Another" } });
      await session.end(sent);
      const [next] = await store.readQueue(session.id);
      if (next === undefined) throw new Error("the queue is empty");
      const start = { provider: "demo", model: "m", handed: false };
      await session.perform({ type: "start-run", runId: next.runId, start });
      await session.perform({
        type: "hand-run",
        runId: next.runId,
        memory: { how: "briefed", given: 1, of: 2 },
      });
      await session.end(
        { messageId: next.messageId, runId: next.runId },
        { outcome: "failed", error: { code: "agent_failed", message: "no", detail: null } },
      );
      await session.perform({ type: "archive" });
      expect(compared()).toBeGreaterThan(9);
    } finally {
      await test.close();
    }
  });

  it("leaves long contents out", async () => {
    const test = await openTestStore(engine);
    try {
      const session = await beginSession(test.store);
      const messages = [
        { id: "m-1", runId: null, role: "system" as const, content: textOf("x".repeat(100_000)) },
      ];
      const committed = await session.perform(
        { type: "update", changes: { title: "T" } },
        { messages },
      );
      expect(committed.written).toBeNull();
    } finally {
      await test.close();
    }
  });
});
