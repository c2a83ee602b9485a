import { existsSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, say, script, tool, write } from "../../providers/testing/script.ts";
import type { FeedItem } from "../feeds/feed.ts";
import { ok, TestRuntime } from "../testing/test-runtime.ts";

let test: TestRuntime;
let id: string;
beforeEach(async () => {
  test = await TestRuntime.open({ agents: [{}, RESUMING] });
  id = await test.createSession();
});
afterEach(() => test.close());

/** Its memory is in the repository, where it is started. */
const RESUMING = {
  name: "resuming",
  folder: "memory",
  capabilities: { resume: true },
  goesOn: true,
};
const ACTION = { title: "Write a.txt", kind: "edit", input: { path: "a.txt" } };

/** The agent that asked is gone when the answer comes; what the next one does is up to it. */
async function answeredLate(prompt: string, answer = "allow"): Promise<string> {
  await test.send(id, prompt);
  const { session } = await test.until(id, (whole) => whole.session.state === "suspended");
  await test.killAgents();
  const suspensionId = session.suspensions.at(-1)?.id ?? "";
  ok(await test.runtime.answer({ sessionId: id, suspensionId, answer, by: "ada" }));
  return suspensionId;
}

const notices = async (): Promise<readonly unknown[]> =>
  (await test.read(id)).messages.flatMap(({ content }) =>
    content["notice"] === "answer_unused" ? [content["suspensionId"]] : [],
  );

describe("an allowed action that the next agent does not take up", () => {
  it("C3: is told of by the run, the transcript and the inbox, until somebody dismisses it", async () => {
    const suspensionId = await answeredLate(script(ask({ id: "t1", ...ACTION })));
    await test.idle(id);
    const [run] = await test.store.readRuns(id);
    const unused = { suspensionId, title: "Write a.txt", answer: { optionId: "allow" } };
    expect(run).toMatchObject({ status: "completed", unusedAnswers: [unused] });
    expect(await notices()).toEqual([suspensionId]);
    const runId = run?.id ?? "";
    expect(await test.runtime.listUnusedAnswers()).toEqual([
      { ...unused, sessionId: id, runId, at: run?.endedAt },
    ]);

    expect(ok(await test.runtime.dismissUnused({ sessionId: id, runId })).dismissed).toBe(true);
    expect(await test.runtime.listUnusedAnswers()).toEqual([]);
    expect(ok(await test.runtime.dismissUnused({ sessionId: id, runId })).dismissed).toBe(false);
    expect(await test.store.readRun(runId)).toMatchObject({ unusedAnswers: [unused] });
  });

  it("C3: leaves the inbox with the next message, or when the session is archived", async () => {
    await answeredLate(script(ask({ id: "t1", ...ACTION })));
    await test.idle(id);
    expect(await test.runtime.listUnusedAnswers()).toHaveLength(1);
    await test.send(id, script(say("again")));
    await test.idle(id);
    expect(await test.runtime.listUnusedAnswers()).toEqual([]);

    await answeredLate(script(ask({ id: "t1", ...ACTION })));
    await test.idle(id);
    expect(await test.runtime.listUnusedAnswers()).toHaveLength(1);
    ok(await test.runtime.archive({ sessionId: id }));
    expect(await test.runtime.listUnusedAnswers()).toEqual([]);
  });

  it("C3: is still told of when a message was queued behind the run before it ended", async () => {
    await test.send(id, script(ask({ id: "t1", ...ACTION })));
    const { session } = await test.until(id, (whole) => whole.session.state === "suspended");
    await test.send(id, script(say("queued before")));
    await test.killAgents();
    const suspensionId = session.suspensions[0]?.id ?? "";
    ok(await test.runtime.answer({ sessionId: id, suspensionId, answer: "allow", by: "ada" }));
    await test.idle(id);
    expect(await test.runtime.listUnusedAnswers()).toMatchObject([{ suspensionId }]);
  });

  it("C7: comes with the run's last event", async () => {
    const items: FeedItem[] = [];
    const suspensionId = await answeredLate(script(ask({ id: "t1", ...ACTION })));
    await test.idle(id);
    const onItem = (item: FeedItem): boolean => items.push(item) > 0;
    const { feed } = ok(
      await test.runtime.openFeed({ sessionId: id, after: 0, onItem, onEnd: () => {} }),
    );
    const runs = () => items.flatMap(({ change }) => (change.type === "run" ? [change.run] : []));
    await expect.poll(() => runs().at(-1)?.status).toBe("completed");
    expect(runs().at(-1)?.unusedAnswers).toMatchObject([{ suspensionId }]);
    feed.close();
  });
});

describe("an answer that was used is not told of", () => {
  async function expectNothingTold(): Promise<void> {
    await test.idle(id);
    expect(await notices()).toEqual([]);
    expect(await test.runtime.listUnusedAnswers()).toEqual([]);
    const runs = await test.store.readRuns(id);
    expect(runs.map(({ unusedAnswers }) => unusedAnswers)).toEqual(runs.map(() => []));
  }

  it("C3: when it was rejected", async () => {
    await answeredLate(script(ask({ id: "t1", ...ACTION })), "reject");
    await expectNothingTold();
  });

  it("C3: when the agent that asked got it", async () => {
    await test.send(id, script(ask({ id: "t1", ...ACTION })));
    const { session } = await test.until(id, (whole) => whole.session.state === "suspended");
    const suspensionId = session.suspensions[0]?.id ?? "";
    ok(await test.runtime.answer({ sessionId: id, suspensionId, answer: "allow", by: "ada" }));
    await expectNothingTold();
  });

  it("C3: when an earlier agent of the run did it, and failed, before it died over another question", async () => {
    const first = { id: "t1", ...ACTION };
    const failed = tool({ id: "t1", ...ACTION, ends: "failed" });
    const second = ask({ id: "t2", title: "Read b.txt", kind: "read", input: { path: "b.txt" } });
    await test.send(id, script(ask(first), failed, second));
    const { session } = await test.until(id, (whole) => whole.session.state === "suspended");
    const suspensionId = session.suspensions[0]?.id ?? "";
    ok(await test.runtime.answer({ sessionId: id, suspensionId, answer: "allow", by: "ada" }));
    const next = await test.until(id, (whole) =>
      whole.session.suspensions.some((each) => each.id !== suspensionId),
    );
    await test.killAgents();
    const last = next.session.suspensions[0]?.id ?? "";
    ok(
      await test.runtime.answer({ sessionId: id, suspensionId: last, answer: "reject", by: "ada" }),
    );
    await expectNothingTold();
  });
});

describe("an agent that has its own history", () => {
  async function sendTo(words: string): Promise<string> {
    id = await test.createSession({ provider: "resuming" });
    const file = path.join(test.folder, "done");
    await answeredLate(
      `${words}\n${script(ask({ id: "t1", ...ACTION, allowed: [write(file, "done")] }))}`,
    );
    await test.idle(id);
    return file;
  }

  it("C3: and believes what it is told asks again, needs no other answer, and does what was allowed", async () => {
    const file = await sendTo("Please");
    expect(existsSync(file)).toBe(true);
    expect(await test.runtime.listUnusedAnswers()).toEqual([]);
    expect(await notices()).toEqual([]);
  });

  it("C3: and believes that instead does nothing, and that is told of", async () => {
    const file = await sendTo("STUBBORN");
    expect(existsSync(file)).toBe(false);
    expect(await test.runtime.listUnusedAnswers()).toMatchObject([{ title: "Write a.txt" }]);
    expect(await notices()).toHaveLength(1);
  });
});
