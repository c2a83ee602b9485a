import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { MessageContent } from "../../domain/message.ts";
import { beginSession, type SessionDriver } from "../../storage/testing/session-driver.ts";
import { openTestStore, type TestStore } from "../../storage/testing/test-database.ts";
import { MAX_ANSWER, readWholeRun } from "./read-run.ts";

type Sent = Awaited<ReturnType<SessionDriver["run"]>>;

const text = (said: string): MessageContent => ({ type: "text", text: said });
const tool = (title: string): MessageContent => ({
  type: "tool",
  tool: "execute",
  title,
  args: null,
  result: null,
});

describe.each(["sqlite", "postgres"] as const)("one run on %s", (engine) => {
  let test: TestStore;
  let session: SessionDriver;
  let sent: Sent;
  let count = 0;
  beforeEach(async () => {
    test = await openTestStore(engine);
    const repo = { id: "repo", path: "/repo", name: "repo", createdAt: 1 };
    session = await beginSession(test.store, { repoId: (await test.store.addRepo(repo)).id });
    await session.claim();
    sent = await session.run("do it");
  });
  afterEach(() => test.close());

  async function put(...contents: readonly MessageContent[]): Promise<void> {
    for (const content of contents) {
      const role = content.type === "tool" ? "system" : "agent";
      const message = { id: `m${(count += 1)}-${session.id}`, role, content } as const;
      await session.put(sent, { put: "message", message, complete: true });
    }
  }

  async function read(runId = sent.runId) {
    const reply = await readWholeRun(test.store, { sessionId: session.id, runId });
    return reply.ok ? reply.run : reply.refusal.code;
  }

  it("has the answer of its agent: what it said since its last tool call (D6)", async () => {
    expect(await read()).toMatchObject({ status: "running", answer: "", step: null });
    await put(text("I look."), tool("ls"), text("Two files."), { type: "thought", text: "hm" });
    await put(text("Both are empty."));
    expect(await read()).toMatchObject({
      id: sent.runId,
      answer: "Two files.\n\nBoth are empty.",
      answerCut: false,
      step: "ls",
    });
    await session.end(sent);
    expect(await read()).toMatchObject({ status: "completed", suspensions: [] });
  });

  it("has what its agent said before its last tool calls, if it said nothing since (D6)", async () => {
    await put(text("First."), tool("ls"), text("I clean up."), tool("rm a"), tool("rm b"));
    await put({ ...text("inside"), parent: "sub-agent" });
    expect(await read()).toMatchObject({ answer: "I clean up.", step: "rm b" });
  });

  it("has the end of a long answer (D6)", async () => {
    const long = "x".repeat(MAX_ANSWER);
    await put(tool("ls"), text("the beginning"), text(long));
    expect(await read()).toMatchObject({ answer: long, answerCut: true });
  });

  it("is found after hundreds of tool calls, and has no words of other runs (D6)", async () => {
    await put(text("At work."), ...Array.from({ length: 120 }, (_, n) => tool(`call ${n}`)));
    const first = sent.runId;
    await session.end(sent);
    sent = await session.run("more");
    await put(text("Another run."));
    expect(await read(first)).toMatchObject({ answer: "At work.", step: "call 119" });
    expect(await read()).toMatchObject({ answer: "Another run.", step: null });
  });

  it("is not found in another session (D6)", async () => {
    expect(await read("none")).toBe("run_not_found");
    const other = await beginSession(test.store);
    const elsewhere = { sessionId: other.id, runId: sent.runId };
    expect(await readWholeRun(test.store, elsewhere)).toMatchObject({
      refusal: { code: "run_not_found" },
    });
  });
});
