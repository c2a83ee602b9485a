import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { beginSession, type SessionDriver } from "../../storage/testing/session-driver.ts";
import { openRaw } from "../../storage/testing/raw-database.ts";
import { openTestStore, type TestStore } from "../../storage/testing/test-database.ts";
import { createTranscriptWriter } from "./transcript-writer.ts";

let test: TestStore;
let session: SessionDriver;
beforeEach(async () => {
  test = await openTestStore("sqlite");
  const { id: repoId } = await test.store.addRepo({ id: "r", path: "/r", name: "r", createdAt: 1 });
  session = await beginSession(test.store, { repoId });
});
afterEach(() => test.close());

it("output is stored while it streams, even if the agent never pauses", async () => {
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

it("C5: output that a crash of PostgreSQL took back is stored again, under the numbers it had", async () => {
  const postgres = await openTestStore("postgres");
  onTestFinished(() => postgres.close());
  const { store, location } = postgres;
  const { id: repoId } = await store.addRepo({ id: "r", path: "/r", name: "r", createdAt: 1 });
  const talk = await beginSession(store, { repoId });
  const { runId } = await talk.run();
  const fence = await talk.claim();
  const failures: unknown[] = [];
  const shown: number[] = [];
  const writer = createTranscriptWriter({
    store,
    sessionId: talk.id,
    runId,
    fence,
    clock: () => talk.now,
    newId: randomUUID,
    onStored: ({ firstSeq, lastSeq }) => void shown.push(firstSeq, lastSeq),
    onFailure: (error) => void failures.push(error),
  });
  const say = async (text: string, voice: "answer" | "thought" = "answer"): Promise<void> => {
    void writer.put({ report: "text", voice, part: null, text });
    await writer.flush();
  };
  await say("kept ");
  const { lastSeq } = await talk.stored();
  for (const word of ["lost ", "words "]) await say(word);
  await say("a thought", "thought");
  const before = await talk.messages();

  // The log after the database replayed it: the newest output, which was not durable, is missing.
  const raw = await openRaw(location);
  onTestFinished(() => raw.close());
  await raw.run(`update "AgentMessage" set "complete" = 0 where "seq" = ${lastSeq}`);
  await raw.run(
    `update "AgentMessage" set "content" = '{"type":"text","text":"kept "}' where "seq" = ${lastSeq}`,
  );
  await raw.run(`delete from "AgentMessage" where "seq" > ${lastSeq}`);
  await raw.run(
    `delete from "SearchDocument" where "messageId" in (select "id" from "AgentMessage" where "seq" = ${lastSeq})`,
  );
  await raw.run(`delete from "SessionEvent" where "seq" > ${lastSeq}`);
  await raw.run(
    `insert into "SessionEvent" ("sessionId", "seq", "at", "kind", "messageId", "data") select "sessionId", "seq", "timestamp", 'message', "id", null from "AgentMessage" where "seq" = ${lastSeq} on conflict do nothing`,
  );
  await raw.run(`update "AgentSession" set "lastSeq" = ${lastSeq}`);

  await say(" on", "thought");
  expect(failures).toEqual([]);
  const after = await talk.messages();
  expect(after.map(({ id, seq }) => [id, seq])).toEqual(before.map(({ id, seq }) => [id, seq]));
  expect(after.slice(1).map(({ content }) => content["text"])).toEqual([
    "kept lost words ",
    "a thought on",
  ]);
  expect(shown).toEqual(shown.toSorted((a, b) => a - b));
});
