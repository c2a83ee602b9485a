import { expect, it } from "vitest";
import { beginSession } from "../testing/session-driver.ts";
import { migratedFile, openTestFile } from "./testing/test-file.ts";

it("a list is cached until a write, here or in another process", async () => {
  const file = await migratedFile();
  const [store, other] = [await openTestFile(file), await openTestFile(file)];
  await beginSession(store);
  const query = { limit: 20 };
  const page = await store.listSessions(query);
  expect(await store.listSessions(query)).toBe(page);
  expect(await store.listSessions({ limit: 5 })).not.toBe(page);
  for (const writer of [store, other, store, other]) {
    const before = await store.listSessions(query);
    await beginSession(writer);
    const after = await store.listSessions(query);
    expect(after.total).toBe(before.total + 1);
    expect(await store.listSessions(query)).toBe(after);
  }
});
