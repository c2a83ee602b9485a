import { StatementSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { say, script } from "../../providers/testing/script.ts";
import { openStore } from "../../storage/open-store.ts";
import { createMigratedDatabase } from "../../storage/testing/test-database.ts";
import type { FeedItem } from "../feeds/feed.ts";
import { ok, TestRuntime } from "../testing/test-runtime.ts";

/** Of timers, whenever they run. */
const IN_BACKGROUND = /"NodeLease"|"SearchTodo"|^pragma/u;

function isOfTurn(statement: unknown): boolean {
  return statement instanceof StatementSync && !IN_BACKGROUND.test(statement.sourceSQL);
}

it("a message to a live agent that answers with one word takes at most 20 statements", async () => {
  const { location, remove } = await createMigratedDatabase("sqlite");
  // All connections are in this thread, where they can be observed.
  const store = await openStore(location, { clock: Date.now, ownThread: false });
  const test = await TestRuntime.open({ database: { store, location, close: remove } });
  const spies = [
    vi.spyOn(StatementSync.prototype, "all"),
    vi.spyOn(StatementSync.prototype, "get"),
    vi.spyOn(StatementSync.prototype, "run"),
  ];
  try {
    const sessionId = await test.createSession();
    let isIdle = Promise.withResolvers<void>();
    const onItem = ({ change }: FeedItem): boolean => {
      if (change.type === "session" && change.session.state === "idle") isIdle.resolve();
      return true;
    };
    ok(await test.runtime.openFeed({ sessionId, after: 0, onItem, onEnd: () => {} }));
    const turn = async (): Promise<void> => {
      await test.send(sessionId, script(say("word")));
      isIdle = Promise.withResolvers();
      await isIdle.promise;
    };
    const counts: number[] = [];
    for (let turns = 0; turns < 6; turns += 1) {
      // Then the agent is at rest, and a message is handed to it at once.
      await pause(100);
      for (const spy of spies) spy.mockClear();
      await turn();
      const run = spies.flatMap((spy): readonly unknown[] => spy.mock.contexts);
      counts.push(run.filter(isOfTurn).length);
    }
    // On a busy machine some of them come while the agent still ends the one before.
    expect(Math.min(...counts)).toBeLessThanOrEqual(20);
  } finally {
    for (const spy of spies) spy.mockRestore();
    await test.close();
  }
});
