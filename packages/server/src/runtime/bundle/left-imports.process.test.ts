import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { stagedSession, partOf } from "../../storage/testing/staged-session.ts";
import { TestRuntime } from "../testing/test-runtime.ts";

let test: TestRuntime;
beforeEach(async () => {
  test = await TestRuntime.open();
});
afterEach(() => test.close());

describe("a start after a crash", () => {
  it("A13 removes what an import has left, by itself", async () => {
    const session = stagedSession({});
    const staging = { sessionId: session.session.id, importId: "left" };
    await test.store.beginImport({ staging, at: session.at });
    await test.store.addToImport({ staging, ...partOf(session) });
    await test.restartAfterCrash();
    await vi.waitFor(async () => {
      const again = { ...staging, importId: "again" };
      expect(await test.store.beginImport({ staging: again, at: 1 })).toEqual({ ok: true });
    }, 200_000);
    expect(await test.store.readRuns(session.session.id)).toEqual([]);
    expect(await test.store.readMessages({ sessionId: session.session.id })).toEqual([]);
  });
});
