import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SessionEvent } from "../../domain/kernel/event.ts";
import { openTestStore, type TestStore } from "../../storage/testing/test-database.ts";
import { startRowCheck } from "./row-check.ts";

const SESSIONS = 1_200;
const onFailure = (error: unknown): never => {
  throw error;
};

let test: TestStore;
beforeEach(async () => {
  test = await openTestStore("sqlite");
  await Promise.all(
    Array.from({ length: SESSIONS }, (_, index) =>
      test.store.commit({ before: null, events: [created(index)] }),
    ),
  );
});
afterEach(() => test.close());

function created(index: number): SessionEvent {
  const named = {
    title: null,
    provider: null,
    model: null,
    agentName: null,
    purpose: null,
    agentId: null,
  };
  const id = `session-${index}`;
  return {
    type: "session.created",
    at: index,
    id,
    repoId: null,
    ...named,
    metadata: {},
    forkedFrom: null,
  };
}

function spoil(...ids: readonly string[]): void {
  if (test.location.engine !== "sqlite") throw new Error("unreachable: asked for SQLite");
  const raw = new DatabaseSync(test.location.file);
  raw.exec("pragma ignore_check_constraints = on");
  const statement = raw.prepare(`update "AgentSession" set "status" = 'lost' where "id" = ?`);
  for (const id of ids) statement.run(id);
  raw.close();
}

describe("the check of stored rows", () => {
  it("sets aside what cannot be read, wherever it is, before anybody lists it (B5)", async () => {
    spoil("session-0", "session-600", "session-1199");
    await startRowCheck(test.store, { onFailure, afterMs: 0 }).done;
    expect(await test.store.health()).toMatchObject({
      setAside: 3,
      counts: { active: SESSIONS - 3 },
    });
    expect(
      (await test.store.listQuarantined()).map(({ rowId, reason }) => [rowId, reason]),
    ).toEqual(expect.arrayContaining([["session-600", 'status is "lost"']]));
  });

  it("ends early when it is stopped", async () => {
    spoil("session-0");
    await startRowCheck(test.store, { onFailure, afterMs: 0 }).stop();
    expect((await test.store.health()).setAside).toBe(0);
  });
});
