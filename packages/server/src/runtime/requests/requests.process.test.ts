import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TestRuntime } from "../testing/test-runtime.ts";

let test: TestRuntime;

beforeEach(async () => {
  test = await TestRuntime.open({ agents: [{ name: "usual" }, { name: "other" }] });
});
afterEach(() => test.close());

describe("a list of sessions by provider", () => {
  it("has those whose messages go to it: without a preference, that is the default", async () => {
    const none = await test.createSession();
    const usual = await test.createSession({ provider: "usual" });
    const other = await test.createSession({ provider: "other" });
    const by = async (provider: string) => {
      const { sessions } = await test.runtime.listSessions({ provider, limit: 10 });
      return sessions.map(({ id }) => id).toSorted();
    };
    expect(await by("usual")).toEqual([none, usual].toSorted());
    expect(await by("other")).toEqual([other]);
    expect(await by("nobody")).toEqual([]);
  });
});
