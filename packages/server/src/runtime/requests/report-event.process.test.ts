import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { say, script, silent } from "../../providers/testing/script.ts";
import { StorageFault } from "../../storage/fault.ts";
import { reportEvent } from "./report-event.ts";
import { ok, TestRuntime } from "../testing/test-runtime.ts";

let test: TestRuntime;
beforeEach(async () => {
  test = await TestRuntime.open();
});
afterEach(() => test.close());

/** A session whose agent waits for the event. */
async function waiting(name: string): Promise<string> {
  const id = await test.createSession();
  await test.send(id, script(say("begun"), silent()));
  await test.until(id, ({ messages }) => messages.some(({ role }) => role === "agent"));
  const asked = {
    sessionId: id,
    kind: "event",
    request: { title: name },
    expiresInMs: null,
  } as const;
  ok(await test.runtime.askFromAgent(asked));
  return id;
}

const report = async (name: string) =>
  ok(await test.runtime.reportEvent({ name, answer: { build: 7 }, by: "ci" })).reported;

const answersOf = async (id: string) =>
  (await test.store.readSuspensions(id)).map(({ status, answer, answeredBy }) => ({
    status,
    answer,
    answeredBy,
  }));

describe("an event that is reported", () => {
  it("C3: answers every session that waits for it, and no other", async () => {
    const [one, two] = [await waiting("deployed"), await waiting("deployed")];
    const other = await waiting("merged");
    const reported = await report("deployed");
    expect(reported.map(({ sessionId, problem }) => [sessionId, problem])).toEqual([
      [one, null],
      [two, null],
    ]);
    const answered = [{ status: "answered", answer: { build: 7 }, answeredBy: "ci" }];
    expect([await answersOf(one), await answersOf(two)]).toEqual([answered, answered]);
    expect(await answersOf(other)).toMatchObject([{ status: "open" }]);
    expect(await report("deployed")).toEqual([]);
  });

  it("C3: reaches the others when one of them cannot be answered, and says which and why", async () => {
    const ids = [await waiting("deployed"), await waiting("deployed"), await waiting("deployed")];
    const logged: object[] = [];
    const log = {
      info: () => {},
      error: () => {},
      warn: (fields: object) => void logged.push(fields),
    };
    const fault = new StorageFault("database_busy", "another process holds it");
    const reported = await reportEvent(
      { store: test.store, log },
      { name: "deployed", answer: null, by: "ada" },
      (request) =>
        request.sessionId === ids[1] ? Promise.reject(fault) : test.runtime.answer(request),
    );
    expect(reported.map(({ sessionId, problem }) => [sessionId, problem])).toEqual([
      [ids[0], null],
      [ids[1], fault],
      [ids[2], null],
    ]);
    expect(logged).toHaveLength(1);
    // Reported again, it reaches the one that still waits.
    expect(await report("deployed")).toMatchObject([{ sessionId: ids[1], problem: null }]);
  });
});
