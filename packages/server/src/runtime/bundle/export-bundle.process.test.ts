import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOON } from "../../domain/testing/commands.ts";
import type { Store } from "../../storage/store.ts";
import { openRaw } from "../../storage/testing/raw-database.ts";
import { beginSession, opening, textOf } from "../../storage/testing/session-driver.ts";
import { openTestStore, type TestStore } from "../../storage/testing/test-database.ts";
import { exportBundle } from "./export-bundle.ts";
import { collect, parsed } from "./testing/lines.ts";

const REPO = { id: "repo-1", path: "/work/repo", name: "repo", createdAt: NOON };
const LATER = NOON + 60_000;

let test: TestStore;
beforeEach(async () => {
  test = await openTestStore("sqlite");
  await test.store.addRepo(REPO);
});
afterEach(() => test.close());

const begin = (more = {}) => beginSession(test.store, { repoId: REPO.id, ...more });

async function linesOf(sessionId: string) {
  const exported = await exportBundle({ store: test.store, clock: () => LATER }, sessionId);
  if (!exported.ok) throw new Error(exported.refusal.message);
  return (await collect(exported.lines)).map(parsed);
}

const at = (ms: number): string => new Date(NOON + ms).toISOString();

describe("an export", () => {
  it("A13 is JSON Lines with all there is to the session, in words of the API", async () => {
    const session = await begin({ id: "session-1", title: "T", metadata: { z: 1, a: 2 } });
    const sent = await session.run("hello");
    const asked = await session.suspend(sent, { id: "s1" });
    await session.answer(asked);
    await session.end(sent);
    expect(await linesOf(session.id)).toEqual([
      {
        holdfast: "bundle",
        version: 2,
        exportedAt: at(60_000),
        sessionId: "session-1",
      },
      {
        type: "session",
        id: "session-1",
        title: "T",
        status: "active",
        failure: null,
        failedAt: null,
        suspendedAt: null,
        suspendedReason: null,
        archivedAt: null,
        waitingRun: null,
        delivery: "open",
        provider: null,
        model: null,
        agentName: null,
        purpose: null,
        agentId: null,
        metadata: { z: 1, a: 2 },
        phase: "initializing",
        phaseHistory: [],
        errorCount: 0,
        errorTotal: 0,
        lastError: null,
        supportsResume: false,
        supportsSteering: false,
        lastRun: { provider: "demo", model: null },
        resumeData: [],
        settings: [],
        mcpServers: {},
        directories: [],
        forkedFrom: null,
        createdAt: at(0),
        updatedAt: at(4000),
        lastActiveAt: at(4000),
        lastTurn: { at: at(4000), outcome: "completed", line: null },
        finalizedAt: null,
        summary: null,
        lastSeq: 8,
      },
      { type: "repo", path: "/work/repo", name: "repo" },
      {
        type: "run",
        id: sent.runId,
        messageId: sent.messageId,
        status: "completed",
        provider: "demo",
        model: null,
        attempts: 1,
        stopReason: "end_turn",
        error: null,
        usage: null,
        memory: { how: "live" },
        unusedAnswers: [],
        changes: null,
        rewoundAt: null,
        queuedAt: at(1000),
        startedAt: at(1000),
        endedAt: at(4000),
      },
      {
        type: "suspension",
        id: "s1",
        runId: sent.runId,
        kind: "permission",
        request: { tool: "write", path: "a.txt" },
        fingerprint: "write:a.txt",
        status: "answered",
        answer: { option: "allow" },
        answeredBy: "ada",
        createdAt: at(2000),
        expiresAt: null,
        closedAt: at(3000),
      },
      {
        type: "message",
        id: sent.messageId,
        runId: sent.runId,
        seq: 3,
        role: "user",
        content: textOf("hello"),
        at: at(1000),
      },
      { type: "end", lines: 7, sha256: expect.any(String) },
    ]);
  });

  it("A13 ends with the SHA-256 of the lines before its last, as any tool computes it", async () => {
    const session = await begin({ title: "Größe" });
    const exported = await exportBundle({ store: test.store, clock: () => LATER }, session.id);
    if (!exported.ok) throw new Error(exported.refusal.message);
    const lines = await collect(exported.lines);
    const file = lines.slice(0, -1).map((line) => `${line}\n`);
    const sha256 = createHash("sha256").update(file.join("")).digest("hex");
    expect(parsed(lines.at(-1))).toEqual({ type: "end", lines: lines.length, sha256 });
  });

  it("reads fewer messages in one go where they are long (P6)", async () => {
    const session = await begin();
    const text = "x".repeat(500_000);
    const messages = Array.from({ length: 20 }, (_, index) => ({
      id: `m${index}`,
      runId: null,
      role: "system" as const,
      content: textOf(text),
    }));
    await session.perform({ type: "update", changes: { title: "long" } }, { messages });
    const limits: number[] = [];
    const store: Store = {
      ...test.store,
      readMessageJson: (query) => {
        limits.push(query.limit);
        return test.store.readMessageJson(query);
      },
    };
    const exported = await exportBundle({ store, clock: () => LATER }, session.id);
    if (!exported.ok) throw new Error(exported.refusal.message);
    let count = 0;
    for await (const line of exported.lines) count += Number(parsed(line)["type"] === "message");
    expect(count).toBe(20);
    expect(limits).toEqual([8, 2, 2, 2, 2, 2, 2]);
  });

  it("tells nothing of a run that was begun after it, nor of what that waited for", async () => {
    const session = await begin();
    await session.end(await session.run("before"));
    const exported = await exportBundle({ store: test.store, clock: () => LATER }, session.id);
    if (!exported.ok) throw new Error(exported.refusal.message);
    const later = await session.run("after");
    await session.answer(await session.suspend(later));
    await session.end(later);
    const lines = (await collect(exported.lines)).map(parsed);
    expect(lines.map(({ type }) => type)).toEqual([
      undefined,
      "session",
      "repo",
      "run",
      "message",
      "end",
    ]);
  });

  it("says nothing of nodes, keys or anything else that is the server's own", async () => {
    const session = await begin();
    await session.perform(
      { type: "update", changes: { title: "T" } },
      { remember: { scope: "s", key: "secret-key", requestHash: "h", response: { a: 1 } } },
    );
    await session.claim("node-secret");
    const text = JSON.stringify(await linesOf(session.id));
    expect(text).not.toContain("secret");
  });

  it("of a session that does not exist is refused", async () => {
    expect(await exportBundle({ store: test.store, clock: () => NOON }, "none")).toMatchObject({
      ok: false,
      refusal: { code: "session_not_found" },
    });
  });

  it("P2 of a running session has the run cut, and says so in the transcript", async () => {
    const session = await begin();
    const sent = await session.run("hello");
    await session.claim();
    await session.put(sent, opening("growing", "So"), {
      put: "text",
      messageId: "growing",
      text: " far",
    });
    const lines = await linesOf(session.id);
    const reason = "the session was exported while the agent was at work";
    expect(lines.find(({ type }) => type === "run")).toMatchObject({
      status: "interrupted",
      stopReason: reason,
      endedAt: at(60_000),
    });
    expect(lines.filter(({ type }) => type === "message").slice(1)).toEqual([
      {
        type: "message",
        id: "growing",
        runId: sent.runId,
        seq: 5,
        role: "agent",
        content: textOf("So far"),
        at: at(2000),
      },
      {
        type: "message",
        id: sent.runId,
        runId: sent.runId,
        seq: 7,
        role: "system",
        content: {
          type: "text",
          text: `Interrupted: ${reason}. The agent's work may be incomplete. It was not repeated.`,
          notice: "run_interrupted",
          runId: sent.runId,
          partial: false,
        },
        at: at(60_000),
      },
    ]);
    expect((await session.stored()).session.standing).toMatchObject({
      activity: { state: "running" },
    });
  });

  it("of a session whose run no agent knows of yet has the message in the queue and in the history", async () => {
    const session = await begin();
    const sent = await session.send("hello", {
      start: { provider: "demo", model: null, handed: false },
    });
    const lines = await linesOf(session.id);
    expect(lines.filter(({ type }) => type === "run")).toMatchObject([
      { id: sent.runId, status: "queued", startedAt: null },
    ]);
    expect(lines.filter(({ type }) => type === "queued")).toMatchObject([
      { messageId: sent.messageId, runId: sent.runId, content: textOf("hello"), attempts: 0 },
    ]);
  });

  it("is of one moment, whatever happens while it is read", async () => {
    const session = await begin();
    const sent = await session.run("first");
    const asked = await session.suspend(sent);
    await session.send("second");
    const before = await exportBundle({ store: test.store, clock: () => LATER }, session.id);
    if (!before.ok) throw new Error(before.refusal.message);
    const expected = await linesOf(session.id);

    await session.answer(asked);
    await session.end(sent);
    const [queued] = (await session.stored()).session.queue;
    await session.perform({
      type: "start-run",
      runId: queued?.runId ?? "",
      start: { provider: "demo", model: null, handed: true },
    });
    await session.end({ messageId: "", runId: queued?.runId ?? "" });
    await session.end(await session.run("third"));
    expect((await collect(before.lines)).map(parsed)).toEqual(expected);
  });

  it("fails rather than to be half of a session that is deleted meanwhile", async () => {
    const session = await begin();
    await session.end(await session.run());
    const exported = await exportBundle({ store: test.store, clock: () => LATER }, session.id);
    if (!exported.ok) throw new Error(exported.refusal.message);
    await session.perform({ type: "delete" });
    await expect(collect(exported.lines)).rejects.toMatchObject({ code: "session_not_found" });
  });

  it("has every message of a long history, also beyond many that cannot be read", async () => {
    const session = await begin();
    const sent = await session.run();
    await session.claim();
    for (let n = 0; n < 130; n += 1) {
      const message = { id: `m${n}`, role: "agent", content: textOf(String(n)) } as const;
      await session.put(sent, { put: "message", message, complete: true });
    }
    await session.end(sent);
    const idsOf = async () =>
      (await linesOf(session.id)).filter(({ type }) => type === "message").map(({ id }) => id);
    const all = Array.from({ length: 130 }, (_, n) => `m${n}`);
    expect(await idsOf()).toEqual([sent.messageId, ...all]);
    const raw = await openRaw(test.location);
    await raw.run(`update "AgentMessage" set "content" = '[]' where "seq" between 10 and 120`);
    await raw.close();
    expect(await idsOf()).toEqual([sent.messageId, ...all.slice(0, 5), ...all.slice(116)]);
  });

  it("has every run and suspension of a long history", async () => {
    const session = await begin();
    for (let n = 0; n < 60; n += 1) {
      const sent = await session.run();
      await session.answer(await session.suspend(sent));
      await session.end(sent);
    }
    const lines = await linesOf(session.id);
    for (const kind of ["run", "suspension", "message"]) {
      const ids = lines.filter(({ type }) => type === kind).map(({ id }) => id);
      expect(new Set(ids).size).toBe(60);
    }
  });
});
