import { afterEach, beforeEach, expect, it } from "vitest";
import { beginSession, type SessionDriver } from "../storage/testing/session-driver.ts";
import { openTestStore, type TestStore } from "../storage/testing/test-database.ts";
import { createTranscriptWriter } from "./transcript-writer.ts";

let test: TestStore;
let session: SessionDriver;
beforeEach(async () => {
  test = await openTestStore("sqlite");
  const { id: repoId } = await test.store.addRepo({ id: "r", path: "/r", name: "r", createdAt: 1 });
  session = await beginSession(test.store, { repoId });
});
afterEach(() => test.close());

it("what was said so far is stored, though the agent never pauses", async () => {
  const { runId } = await session.run();
  const fence = await session.claim();
  let count = 0;
  let isTalking = true;
  const writer = createTranscriptWriter({
    store: test.store,
    sessionId: session.id,
    runId,
    fence,
    clock: () => session.now,
    newId: () => `m-${(count += 1)}`,
    // The next words come as soon as the last are stored.
    onStored: () => (isTalking ? say("more ") : undefined),
    onRefused: () => {},
    onFailure: (error) => {
      throw error;
    },
  });
  const say = (text: string): void =>
    void writer.put({ report: "text", voice: "answer", part: null, text });
  say("first ");
  for (let round = 0; round < 3; round += 1) {
    say(`round ${round} `);
    await writer.flush();
    const [, message] = await test.store.readMessages({ sessionId: session.id });
    expect(message?.content["text"]).toContain(`round ${round} `);
  }
  isTalking = false;
  await writer.flush();
});
