import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { beginSession } from "../../storage/testing/session-driver.ts";
import { openTestStore, type TestStore } from "../../storage/testing/test-database.ts";
import { readRuns, type RunPosition } from "./session-reads.ts";

describe.each(["sqlite", "postgres"] as const)("the runs of a session on %s", (engine) => {
  let test: TestStore;
  beforeEach(async () => {
    test = await openTestStore(engine);
  });
  afterEach(() => test.close());

  it("come in pages, each once and in order, with who answered what they waited for", async () => {
    const repo = { id: "repo", path: "/repo", name: "repo", createdAt: 1 };
    const session = await beginSession(test.store, {
      repoId: (await test.store.addRepo(repo)).id,
    });
    const sent: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const run = await session.run();
      if (n === 3) await session.answer(await session.suspend(run));
      await session.end(run);
      sent.push(run.runId);
    }
    const seen: unknown[] = [];
    let after: RunPosition | null = null;
    const pages: number[] = [];
    do {
      const page = await readRuns(test.store, {
        sessionId: session.id,
        limit: 2,
        ...(after !== null && { after }),
      });
      if (!page.ok) throw new Error(page.refusal.code);
      pages.push(page.runs.length);
      seen.push(
        ...page.runs.map(({ id, status, suspensions }) => [
          id,
          status,
          suspensions.map(({ answeredBy }) => answeredBy),
        ]),
      );
      after = page.next;
    } while (after !== null);
    expect(pages).toEqual([2, 2, 1]);
    expect(seen).toEqual(sent.map((id, n) => [id, "completed", n === 3 ? ["ada"] : []]));
    const whole = await readRuns(test.store, { sessionId: session.id, limit: 5 });
    expect(whole).toMatchObject({ ok: true, next: null });
  });

  it("are none for a session without any, and refused for no session", async () => {
    const session = await beginSession(test.store);
    expect(await readRuns(test.store, { sessionId: session.id, limit: 5 })).toEqual({
      ok: true,
      runs: [],
      next: null,
    });
    expect(await readRuns(test.store, { sessionId: "none", limit: 5 })).toMatchObject({
      ok: false,
      refusal: { code: "session_not_found" },
    });
  });
});
