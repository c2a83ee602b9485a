import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { MessageFormat } from "../../storage/store.ts";
import { beginSession, type SessionDriver } from "../../storage/testing/session-driver.ts";
import { openTestStore, type TestStore } from "../../storage/testing/test-database.ts";
import { readMessages, readSessionJson } from "./session-reads.ts";

const LATER = 1_100;
const format: MessageFormat = {
  separator: ",",
  properties: { id: "id" },
  of: ({ id }) => ({ id }),
};

describe.each(["sqlite", "postgres"] as const)("decisions on tool calls on %s", (engine) => {
  let test: TestStore;
  beforeEach(async () => {
    test = await openTestStore(engine);
  });
  afterEach(() => test.close());

  it("come with the messages of their calls, however old they are (C9)", async () => {
    const repo = { id: "repo", path: "/repo", name: "repo", createdAt: 1 };
    const { id: repoId } = await test.store.addRepo(repo);
    const session = await beginSession(test.store, { repoId });
    const early = await decide(session, "reject_once");
    const late = await decide(session, "allow_once", LATER);
    const sessionId = session.id;
    const read = (tail?: number) =>
      readSessionJson(test.store, { sessionId, format, ...(tail !== undefined && { tail }) });
    const tail = await read(LATER - 10);
    expect(tail).toMatchObject({ ok: true, decisions: [] });
    const all = await read(LATER + 1);
    expect(all).toMatchObject({
      decisions: [{ runId: late, callId: "c1", chosen: "allow_once", answeredBy: "browser" }],
    });
    expect(await read()).not.toHaveProperty("decisions");
    const page = await readMessages(test.store, { sessionId, after: 0, limit: 2, format });
    expect(page).toMatchObject({ decisions: [{ runId: early, chosen: "reject_once" }] });
    const before = await readMessages(test.store, {
      sessionId,
      before: 1_000_000,
      limit: 5,
      format,
    });
    expect(before).toMatchObject({ ok: true, decisions: [] });
  });
});

/** A run with a call, the answer to its permission, and as many messages after it. Returns the run. */
async function decide(session: SessionDriver, answer: string, later = 0): Promise<string> {
  const run = await session.run();
  await session.claim();
  const content = { type: "tool", tool: "edit", title: "Edit", callId: "c1", status: "completed" };
  const message = { id: `${run.runId}-call`, role: "system", content } as const;
  await session.put(run, { put: "message", message, complete: true });
  const options = ["allow_once", "reject_once"].map((kind) => ({
    optionId: kind,
    name: kind,
    kind,
  }));
  const { id: suspensionId } = await session.suspend(run, {
    request: { title: "Edit", toolCallId: "c1", options },
  });
  await session.perform({ type: "answer", suspensionId, answer, by: "browser" });
  const texts = Array.from({ length: later }, (_, index) => ({
    put: "message" as const,
    message: {
      id: `${run.runId}-${index}`,
      role: "agent" as const,
      content: { type: "text", text: `Line ${index}.` },
    },
    complete: true,
  }));
  if (texts.length > 0) await session.put(run, ...texts);
  await session.end(run);
  return run.runId;
}
