import { describe, expect, it, onTestFinished } from "vitest";
import { copyDatabase } from "../../storage/copy/copy-database.ts";
import { openStore } from "../../storage/open-store.ts";
import { createTestDatabase, openTestStore } from "../../storage/testing/test-database.ts";
import { ok, TestRuntime, transcript } from "../testing/test-runtime.ts";

describe.each([
  ["sqlite", "postgres"],
  ["postgres", "sqlite"],
] as const)("a database copied from %s to %s", (from, to) => {
  it("C7 is gone on with as if it had been there always, its log numbered on", async () => {
    const original = await openTestStore(from);
    onTestFinished(() => original.close());
    const database = await createTestDatabase(to);
    onTestFinished(database.remove);
    const test = await TestRuntime.open();
    onTestFinished(() => test.close());
    await useStore(test, original.store);
    const { repo } = ok(await test.runtime.addRepo({ path: test.repoPath, name: null }));
    const sessionId = await test.createSession({ repoId: repo.id, title: "Long" });
    await test.send(sessionId, "hello");
    const before = await test.idle(sessionId);
    await test.stop();

    expect(await copyDatabase({ from: original.location, to: database.location })).toMatchObject({
      ok: true,
    });
    const copy = await openStore(database.location, { clock: Date.now });
    await useStore(test, copy);
    const there = await test.read(sessionId);
    expect(transcript(there)).toEqual(transcript(before));
    const events = await copy.readEvents({ sessionId, after: before.session.lastSeq, limit: 100 });
    expect(events.map(({ seq }) => seq)).toEqual(
      events.map((_, index) => before.session.lastSeq + 1 + index),
    );

    ok(await test.runtime.resume({ sessionId }));
    await test.send(sessionId, "are you there?");
    const after = await test.idle(sessionId);
    expect(transcript(after).slice(0, transcript(before).length)).toEqual(transcript(before));
    expect(transcript(after)).toContain("user are you there?");
    // A new agent, which was told what is in the copy.
    expect(transcript(after).at(-1)).toMatch(/^agent echo: .*User: hello.*are you there\?$/su);
  });
});

/** The runtime begins on another database; who opened that closes it. */
async function useStore(test: TestRuntime, store: TestRuntime["store"]): Promise<void> {
  await test.stop();
  test.store = store;
  await test.start();
}
