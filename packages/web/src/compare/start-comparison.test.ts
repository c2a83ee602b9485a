import { expect, it } from "vitest";
import { startComparison } from "./start-comparison.ts";

type Sessions = Parameters<typeof startComparison>[0];

/** Records the requests. */
function recorder(refused: string | null = null) {
  const calls: string[] = [];
  const keys: (string | undefined)[] = [];
  const sessions = {
    create: async (request, options) => {
      const provider = request?.provider ?? "";
      if (provider === refused) throw new Error(`${provider} is not installed`);
      calls.push(`create ${provider} ${request?.workspace ?? ""} ${request?.base ?? "-"}`);
      keys.push(options?.idempotencyKey);
      return { id: `session-${provider}` };
    },
    send: async (id, { text }, options) => {
      calls.push(`send ${id} ${text ?? ""}`);
      keys.push(options?.idempotencyKey);
      return {};
    },
  } as Sessions;
  return { calls, keys, sessions };
}

const COMPARISON = { repoId: "r", agents: ["a", "b"], message: " Do it\n", base: "" };

it("sends the message when all sessions are there (D7)", async () => {
  const { calls, keys, sessions } = recorder();
  const ids = await startComparison(sessions, COMPARISON, "key");
  expect(ids).toEqual(["session-a", "session-b"]);
  expect(calls).toEqual([
    "create a worktree -",
    "create b worktree -",
    "send session-a Do it",
    "send session-b Do it",
  ]);
  expect(keys).toEqual(["key:a", "key:b", "key:session-a", "key:session-b"]);
});

it("sends nothing if one of the agents is refused (D7)", async () => {
  const { calls, sessions } = recorder("b");
  const started = startComparison(sessions, { ...COMPARISON, base: " main " }, "key");
  await expect(started).rejects.toThrow("b is not installed");
  expect(calls).toEqual(["create a worktree main"]);
});
